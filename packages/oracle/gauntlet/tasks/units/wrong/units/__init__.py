METRES = {"m": 1, "km": 1000, "ft": 0.3, "mi": 1609.344}
KELVIN = {"C": (1, 273.15), "K": (1, 0), "F": (1.8, 459.67)}


def convert(value, source, target):
    if source == target:
        return value
    if source in METRES and target in METRES:
        return value * METRES[source] / METRES[target]
    if source in KELVIN and target in KELVIN:
        (a, b), (c, d) = KELVIN[source], KELVIN[target]
        return (value + b) / a * c - d
    raise ValueError(f"no way from {source} to {target}")
