"""Registering typed functions, against pydantic models of the same parameters; both cold."""

from time import perf_counter

from bench.inside.made_up import TYPES, functions, model_source


def with_hermes(count: int) -> float:
    """Return the seconds until functions are registered and their definitions exported."""
    from hermes import Runtime
    from hermes.tools import ToolRegistry, tool

    made = functions(count)
    started = perf_counter()
    registry = ToolRegistry()
    declare = tool(registry=registry)
    for function in made:
        declare(function)
    runtime = Runtime(registry=registry)
    exported = runtime.definitions()
    taken = perf_counter() - started
    assert len(exported) == count
    return taken


def with_pydantic(count: int) -> float:
    """Return the seconds until models are built and their schemas exported."""
    from pydantic import BaseModel, Field

    names = {"BaseModel": BaseModel, "Field": Field}
    exec(TYPES, names)
    code = [
        compile(model_source(number), "<made up>", "exec", dont_inherit=True)
        for number in range(count)
    ]
    started = perf_counter()
    for model in code:
        exec(model, names)
    exported = [names[f"Search{number}"].model_json_schema() for number in range(count)]
    taken = perf_counter() - started
    assert len(exported) == count
    return taken
