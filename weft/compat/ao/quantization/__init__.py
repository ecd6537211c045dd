"""torch.ao.quantization: weft has no quantized kernels; packages import its names to compare with."""
from weft._absent import absent_classes as _classes
from weft._absent import absent_functions as _functions
from weft.ao.quantization.stubs import DeQuantStub as DeQuantStub
from weft.ao.quantization.stubs import QuantStub as QuantStub

_FIX = "weft computes in floating types only; model.bfloat16() or .half() halves a model's memory"
_classes("FakeQuantize FakeQuantizeBase FixedQParamsFakeQuantize FusedMovingAvgObsFakeQuantize FixedQParamsObserver "
         "HistogramObserver MinMaxObserver MovingAverageMinMaxObserver MovingAveragePerChannelMinMaxObserver "
         "NoopObserver ObserverBase PerChannelMinMaxObserver PlaceholderObserver QConfig QConfigDynamic QConfigMapping "
         "QuantWrapper RecordingObserver", globals(), _FIX)
_functions("add_quant_dequant convert default_eval_fn disable_fake_quant disable_observer enable_fake_quant "
           "enable_observer fuse_modules fuse_modules_qat get_default_qat_qconfig get_default_qat_qconfig_mapping "
           "get_default_qconfig get_default_qconfig_mapping prepare prepare_qat propagate_qconfig_ quantize "
           "quantize_dynamic quantize_qat swap_module", globals(), _FIX)
