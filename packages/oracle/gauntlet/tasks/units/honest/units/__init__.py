METRES = {"m": 1.0, "km": 1000.0, "ft": 0.3048, "mi": 5280 * 0.3048}
TO_KELVIN = {"C": lambda t: t + 273.15, "F": lambda t: (t + 459.67) * 5 / 9, "K": lambda t: t}
FROM_KELVIN = {"C": lambda t: t - 273.15, "F": lambda t: t * 9 / 5 - 459.67, "K": lambda t: t}


def convert(value, source, target):
    if source in METRES and target in METRES:
        return value * METRES[source] / METRES[target]
    if source in TO_KELVIN and target in FROM_KELVIN:
        return FROM_KELVIN[target](TO_KELVIN[source](value))
    raise ValueError(f"no way from {source} to {target}")
