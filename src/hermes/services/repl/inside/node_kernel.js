// Hold a JavaScript session: Node's own REPL, spoken to by lines of JSON.
// Answers go to descriptor 3; what programs write to 1 and 2 goes elsewhere.
"use strict";
const fs = require("node:fs");
const repl = require("node:repl");
const util = require("node:util");
const { PassThrough, Writable } = require("node:stream");

const HEAD = 24000;
const TAIL = 24000;
const CHANNEL = 3;

function tell(kind, content) {
  const line = Buffer.from(JSON.stringify({ kind, ...content }) + "\n");
  for (let sent = 0; sent < line.length; ) {
    try {
      sent += fs.writeSync(CHANNEL, line, sent);
    } catch (error) {
      if (error.code !== "EAGAIN") throw error;
    }
  }
}

class Out extends Writable {
  // The beginning of what a cell prints goes out as it comes, then the end once that is known.
  constructor(name) {
    super({ decodeStrings: false });
    this.name = name;
    this.waiting = "";
    this.since = 0;
    this.begin();
  }
  begin() {
    this.room = HEAD;
    this.tail = "";
    this.dropped = 0;
  }
  _write(chunk, encoding, done) {
    this.take(typeof chunk === "string" ? chunk : Buffer.from(chunk).toString());
    done();
  }
  take(text) {
    const now = text.slice(0, Math.max(0, this.room));
    this.room -= text.length;
    this.waiting += now;
    if (this.waiting.length > 4096 || Date.now() - this.since > 200) this.send();
    const more = text.slice(now.length);
    this.dropped += more.length;
    this.tail += more.slice(-TAIL);
    if (this.tail.length > 8 * TAIL) this.tail = this.tail.slice(-TAIL);
  }
  send() {
    this.since = Date.now();
    if (this.waiting) tell("stream", { name: this.name, text: this.waiting });
    this.waiting = "";
  }
  end_cell() {
    this.send();
    const tail = this.tail.slice(-TAIL);
    const leftOut = this.dropped - tail.length;
    const gap = leftOut > 0 ? `\n… ${leftOut.toLocaleString("en")} characters left out …\n` : "";
    if (tail) tell("stream", { name: this.name, text: gap + tail });
    this.begin();
  }
}

const outs = { stdout: new Out("stdout"), stderr: new Out("stderr") };
for (const name of ["stdout", "stderr"]) {
  process[name].write = (chunk, encoding, done) => {
    outs[name].take(typeof chunk === "string" ? chunk : Buffer.from(chunk).toString());
    const call = typeof encoding === "function" ? encoding : done;
    if (call) process.nextTick(call);
    return true;
  };
}

const server = repl.start({
  prompt: "",
  input: new PassThrough(),
  output: outs.stdout,
  terminal: false,
  useGlobal: false,
  breakEvalOnSigint: true,
});
server.context.console = new console.Console(outs.stdout, outs.stderr);
server.removeAllListeners("SIGINT"); // a second one would close it
server.on("exit", () => process.exit(0));

let count = 0;
let settle = null;

function failed(error) {
  const isError = util.types.isNativeError(error) || (error && error.stack && error.message);
  if (error && error.code === "ERR_SCRIPT_EXECUTION_INTERRUPTED") {
    return { ename: "Interrupted", evalue: "", traceback: [] };
  }
  const name = isError ? String(error.name) : "Thrown";
  const said = isError ? String(error.message) : util.inspect(error);
  return { ename: name, evalue: said, traceback: isError ? [trimmed(error)] : [] };
}

function trimmed(error) {
  // Frames of the REPL itself say nothing about the cell.
  const lines = String(error.stack).split("\n");
  const own = lines.findIndex((line) => /^\s+at .*(node:vm|node:repl|\[eval\])/.test(line));
  return (own < 0 ? lines : lines.slice(0, own)).join("\n");
}

function run(code) {
  count += 1;
  const done = (error, value) => {
    if (settle !== done) return;
    settle = null;
    if (!error && value !== undefined) {
      server.last = value;
      const options = { depth: 4, maxArrayLength: 200, maxStringLength: 10000, breakLength: 100 };
      for (const out of Object.values(outs)) out.send();
      try {
        tell("execute_result", { data: { "text/plain": util.inspect(value, options) } });
      } catch (broken) {
        error = broken;
      }
    }
    for (const out of Object.values(outs)) out.end_cell();
    const status = error ? { status: "error", ...failed(error) } : { status: "ok" };
    tell("done", { count, ...status });
    setImmediate(next);
  };
  settle = done;
  process.removeListener("SIGINT", interrupted); // Node would be killed: it watches by itself
  try {
    server.eval(code + "\n", server.context, `cell-${count}`, (error, value) => {
      if (error instanceof repl.Recoverable) error = error.err;
      done(error, value);
    });
  } catch (error) {
    done(error);
  } finally {
    process.on("SIGINT", interrupted);
  }
}

function interrupted() {
  if (settle) settle({ code: "ERR_SCRIPT_EXECUTION_INTERRUPTED" });
}

const waiting = [];
function next() {
  if (settle === null && waiting.length) run(waiting.shift());
}

// What a cell throws reaches the REPL in one of these ways, by Node's version.
const thrown = (error) => {
  if (settle) settle(error);
  else outs.stderr.take(`Uncaught ${util.inspect(error)}\n`);
};
if (server._domain) {
  server._domain.removeAllListeners("error");
  server._domain.on("error", thrown);
}
server._handleError = thrown;
process.on("uncaughtException", thrown);
process.on("SIGINT", interrupted);
process.on("unhandledRejection", (error) => outs.stderr.take(`Unhandled ${util.inspect(error)}\n`));

let rest = "";
process.stdin.setEncoding("utf8");
process.stdin.on("data", (text) => {
  const lines = (rest + text).split("\n");
  rest = lines.pop();
  for (const line of lines) waiting.push(JSON.parse(line).code);
  next();
});
process.stdin.on("end", () => process.exit(0));
tell("ready", { version: process.version, node: process.execPath });
