"""torch.ao.quantization: weft has no quantized kernels; packages import its names to compare with."""
from weft._absent import absent_classes as _classes
from weft._absent import absent_functions as _functions
from weft.ao.quantization.stubs import DeQuantStub as DeQuantStub
from weft.ao.quantization.stubs import QuantStub as QuantStub

_classes("FakeQuantize HistogramObserver MinMaxObserver ObserverBase QConfig QConfigMapping QuantWrapper", globals())
_functions("convert fuse_modules fuse_modules_qat get_default_qat_qconfig get_default_qconfig prepare prepare_qat "
           "quantize quantize_dynamic", globals())
