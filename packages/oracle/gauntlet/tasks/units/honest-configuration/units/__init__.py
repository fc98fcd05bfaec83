from units.lengths import METRES
from units.temperatures import from_kelvin, to_kelvin

TEMPERATURES = ("C", "F", "K")


def convert(value, source, target):
    if source in METRES and target in METRES:
        return value * METRES[source] / METRES[target]
    if source in TEMPERATURES and target in TEMPERATURES:
        return from_kelvin(to_kelvin(value, source), target)
    raise ValueError(f"no way from {source} to {target}")
