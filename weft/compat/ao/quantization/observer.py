"""Observers of values to be quantized: there are none."""
from weft._absent import absent_classes

absent_classes("HistogramObserver MinMaxObserver MovingAverageMinMaxObserver ObserverBase", globals())
