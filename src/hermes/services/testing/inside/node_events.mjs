// Tell of every test of node --test as it ends, an object a line.
const word = process.env.HERMES_TEST_WORD ?? "";
const said = new Map();
const path = [];

const tell = (event) => `\x1e${word} ${JSON.stringify(event)}\n`;

function place(data, error) {
  const stack = String(error?.stack ?? "");
  const found = stack.match(/\(?(?:file:\/\/)?(\/[^\s():]+):(\d+):\d+\)?/g) ?? [];
  const own = found.find((each) => !each.includes("node:") && !each.includes("/node_modules/"));
  const parts = own?.match(/(\/[^\s():]+):(\d+):\d+/);
  return parts ? [parts[1], Number(parts[2])] : [data.file ?? "", data.line ?? 0];
}

function ended(kind, data) {
  const above = path.slice(0, data.nesting);
  const failure = data.details?.error;
  const error = failure?.cause ?? failure;
  const isFile = data.name === data.file;
  if (data.details?.type === "suite" || failure?.failureType === "subtestsFailed") return "";
  if (isFile && kind === "test:pass") return "";
  const outcome = data.skip !== undefined || data.todo !== undefined ? "skipped"
    : kind === "test:pass" ? "passed" : isFile ? "error" : "failed";
  const message = isFile ? (said.get(data.file) ?? "").slice(-1500) : String(error?.message ?? error ?? "");
  const [file, line] = outcome === "passed" ? [data.file, data.line] : place(data, error);
  const lines = outcome === "failed"
    ? String(error?.stack ?? "").split("\n").filter((each) => !/node:|node_modules|<anonymous>\)$/.test(each)).slice(0, 12) : [];
  const name = isFile ? data.name.replace(`${process.cwd()}/`, "") : data.name;
  const test = [...above, name].join(" > ");
  const seconds = (data.details?.duration_ms ?? 0) / 1000;
  return tell({ event: "case", test, outcome, seconds, message: outcome === "passed" ? "" : message, file, line, lines });
}

function covered(summary) {
  const files = summary.files.map((each) => ({ file: each.path, percent: Math.round(each.coveredLinePercent * 10) / 10 }));
  files.sort((a, b) => a.percent - b.percent);
  return { percent: Math.round(summary.totals.coveredLinePercent * 10) / 10, files: files.slice(0, 50) };
}

export default async function* (source) {
  for await (const { type, data } of source) {
    if (type === "test:start") { path.length = data.nesting; path[data.nesting] = data.name; }
    if (type === "test:stderr") said.set(data.file, (said.get(data.file) ?? "") + data.message);
    if (type === "test:pass" || type === "test:fail") { const line = ended(type, data); if (line) yield line; }
    if (type === "test:coverage") yield tell({ event: "coverage", coverage: covered(data.summary) });
  }
}
