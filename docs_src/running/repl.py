import asyncio
import json

from hermes import Runtime


async def main() -> None:
    async with Runtime() as rt:

        async def cell(code, **more):
            answer = json.loads(await rt.call("repl", {"code": code, **more}))
            print(code, "→", {key: answer[key] for key in answer if key != "traceback"})

        await cell("rows = [{'name': 'a', 'size': 3}, {'name': 'b', 'size': 39}]")
        await cell("print(len(rows)); sum(row['size'] for row in rows)")
        await cell("rows[2]")
        await cell("while True: pass", timeout=0.5)
        await cell("len(rows)")
        print(json.loads(await rt.call("repl", {"action": "close"})))


asyncio.run(main())
