// Start a program of node under its inspector, and carry messages: an object a line each way.
// Arguments: the program and its arguments. The inspector listens on loopback, and nowhere else.
"use strict";
const net = require("node:net");
const crypto = require("node:crypto");
const { spawn } = require("node:child_process");

const tell = (message) => process.stdout.write(JSON.stringify(message) + "\n");
const child = spawn(process.execPath, ["--inspect-brk=127.0.0.1:0", ...process.argv.slice(1)],
  { stdio: ["ignore", "pipe", "pipe"] });
const GOODBYE = Buffer.from([0x88, 0x80, 0, 0, 0, 0]); // a frame that closes, as the protocol has it
let socket = null;
let waiting = [];

function frame(text) {
  const body = Buffer.from(text);
  const mask = crypto.randomBytes(4);
  const size = body.length;
  const head = size < 126 ? Buffer.from([0x81, 0x80 | size])
    : size < 65536 ? Buffer.from([0x81, 0x80 | 126, size >> 8, size & 255])
    : Buffer.concat([Buffer.from([0x81, 0x80 | 127]), (() => { const b = Buffer.alloc(8); b.writeBigUInt64BE(BigInt(size)); return b; })()]);
  for (let i = 0; i < size; i++) body[i] ^= mask[i & 3];
  return Buffer.concat([head, mask, body]);
}

function connect(port, path) {
  let rest = Buffer.alloc(0);
  let isOpen = false;
  let parts = [];
  const mine = net.connect(port, "127.0.0.1", () => {
    const key = crypto.randomBytes(16).toString("base64");
    mine.write(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nUpgrade: websocket\r\n` +
      `Connection: Upgrade\r\nSec-WebSocket-Key: ${key}\r\nSec-WebSocket-Version: 13\r\n\r\n`);
  });
  mine.on("error", (error) => tell({ method: "bridge.error", params: { text: String(error) } }));
  mine.on("data", (data) => {
    rest = Buffer.concat([rest, data]);
    if (!isOpen) {
      const end = rest.indexOf("\r\n\r\n");
      if (end < 0) return;
      rest = rest.subarray(end + 4);
      isOpen = true;
      socket = mine;
      tell({ method: "bridge.open", params: {} });
      for (const text of waiting) mine.write(frame(text));
      waiting = [];
    }
    for (;;) {
      if (rest.length < 2) return;
      let size = rest[1] & 127;
      let at = 2;
      if (size === 126) { if (rest.length < 4) return; size = rest.readUInt16BE(2); at = 4; }
      else if (size === 127) { if (rest.length < 10) return; size = Number(rest.readBigUInt64BE(2)); at = 10; }
      if (rest.length < at + size) return;
      const code = rest[0] & 15;
      if (code <= 1) {
        parts.push(rest.subarray(at, at + size));
        if (rest[0] & 128) { process.stdout.write(Buffer.concat([...parts, Buffer.from("\n")])); parts = []; }
      }
      rest = rest.subarray(at + size);
    }
  });
}

let heard = "";
let isConnecting = false;
child.stderr.on("data", (data) => {
  let text = data.toString();
  if (socket === null) {
    heard += text;
    const found = heard.match(/ws:\/\/127\.0\.0\.1:(\d+)(\/\S+)/);
    if (found && !isConnecting) { isConnecting = true; connect(Number(found[1]), found[2]); }
    if (!found) return;
    text = text.replace(/Debugger listening on ws:.*\n?|For help, see:.*\n?/g, "");
  }
  // who only hangs up has node crash now and then, before it has said how the program ended
  if (text.includes("Waiting for the debugger to disconnect")) socket?.end(GOODBYE);
  text = text.replace(/(?:Debugger (?:listening|attached|ending)|For help, see:|Waiting for the debugger).*\n?/g, "");
  if (text) tell({ method: "bridge.output", params: { text } });
});
child.stdout.on("data", (data) => tell({ method: "bridge.output", params: { text: data.toString() } }));
child.on("error", (error) => tell({ method: "bridge.error", params: { text: String(error) } }));
child.on("close", (code, signal) => {
  tell({ method: "bridge.exited", params: { code: code ?? null, signal: signal ?? "" } });
  process.exitCode = 0;
  process.stdin.destroy();
});

let line = "";
process.stdin.on("data", (data) => {
  line += data.toString();
  const lines = line.split("\n");
  line = lines.pop();
  for (const text of lines) if (text) { if (socket) socket.write(frame(text)); else waiting.push(text); }
});
process.stdin.on("end", () => child.kill("SIGKILL"));
