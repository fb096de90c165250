from hermes.tools import registry, tool


@tool
def google(city: str) -> str:
    """Look up a city.

    Args:
        city: Name of the city.
    """
    return city


@tool
def numpy(city: str) -> str:
    """Look up a city.

    Parameters
    ----------
    city : str
        Name of the city.
    """
    return city


@tool
def sphinx(city: str) -> str:
    """Look up a city.

    :param city: Name of the city.
    """
    return city


for name in ("google", "numpy", "sphinx"):
    entry = registry.get(name)
    print(entry.description, entry.parameters["properties"])
