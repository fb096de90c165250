from pathlib import Path
from tempfile import TemporaryDirectory

from hermes import Runtime
from hermes.runtime.entry import ToolEntry
from hermes.tools import ToolRegistry


class Templates:
    """Every .txt file of a folder is a tool that fills it in."""

    name = "templates"
    problems: list[tuple[str, str]] = []

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._seen: dict[str, str] | None = None

    def refresh(self, registry: ToolRegistry) -> bool:
        texts = {path.stem: path.read_text("utf-8") for path in self.folder.glob("*.txt")}
        if texts == self._seen:
            return False
        self._seen = texts
        registry.replace_source(self.name, [self._entry(*item) for item in texts.items()])
        return True

    def _entry(self, name: str, text: str) -> ToolEntry:
        return ToolEntry.of(
            name=name,
            toolset="templates",
            handler=lambda args, **_: text.format(**args),
            description=f"Write a {name}.",
            parameters={"type": "object", "properties": {"name": {"type": "string"}}},
            source=self.name,
        )

    def close(self) -> None:
        pass


with TemporaryDirectory() as folder:
    template = Path(folder, "greeting.txt")
    template.write_text("Dear {name},", "utf-8")
    with Runtime() as runtime:
        source = Templates(Path(folder))
        runtime.add_source(source)
        print(runtime.call_sync("greeting", {"name": "Ada"}))
        template.unlink()
        runtime.refresh()
        print(runtime.call_sync("greeting", {"name": "Ada"}))
