// A small honest worker in JavaScript: one kind, a handwritten side and a declarative side that differ in one limit.
// It is the example of docs/how-to/write-a-worker.md.
import { createInterface } from "node:readline";

const say = (record) => process.stdout.write(JSON.stringify(record) + "\n");

say({
  name: "node-example",
  protocol: 1,
  abilities: ["update", "validated"],
  kinds: [{ group: "example.dev", version: "v1", kind: "Note", resource: "notes", api_version: "example.dev/v1",
    type: "note.Note" }], // for --types: the Go type, by folder and name
});

const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);

function handwritten(note) {
  const spec = isObject(note.spec) ? note.spec : {};
  if (!spec.title) return [{ type: "FieldValueRequired", field: "spec.title", covered: true }];
  const errors = [];
  if ([...spec.title].length > 10)
    errors.push({ type: "FieldValueTooLong", field: "spec.title", origin: "maxLength", covered: true,
      detail: "may not be more than 10 characters" });
  return errors;
}

function declarative(note) {
  const spec = isObject(note.spec) ? note.spec : {};
  if (!spec.title) return [{ type: "FieldValueRequired", field: "spec.title", level: "beta" }];
  const errors = [];
  if ([...spec.title].length > 12) // the planted mistake: the handwritten side says 10
    errors.push({ type: "FieldValueTooLong", field: "spec.title", origin: "maxLength", level: "beta",
      detail: "may not be more than 12 characters" });
  return errors;
}

function answer(question) {
  const fail = (message) => ({ id: question.id, failure: { stage: "decode", message } });
  if (question.kind !== "Note") return fail(`no kind ${question.kind} is served here`);
  if (!isObject(question.object)) return fail("the object is not a JSON object");
  const title = question.object.spec?.title;
  if (title !== undefined && title !== null && typeof title !== "string") return fail("spec.title is not a string");
  const lists = { handwritten: handwritten(question.object), declarative: declarative(question.object) };
  if (!question.validated) return { id: question.id, ...lists };
  // For --declarative python: what was validated, which here is what came in.
  const seen = { type: "note.Note", object: question.object, old: question.old ?? null };
  return { id: question.id, ...lists, validated: { v1: seen } };
}

for await (const line of createInterface({ input: process.stdin, crlfDelay: Infinity })) {
  if (line.trim() === "") continue;
  let question;
  try {
    question = JSON.parse(line);
  } catch (error) {
    say({ id: 0, failure: { stage: "decode", message: String(error) } });
    continue;
  }
  say(answer(question));
}
