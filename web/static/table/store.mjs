// What a tablet keeps: commands until they are answered and safe, drafts at every tap, and what it last saw.

import { openDB } from "./vendor/idb.mjs";

const NAME = "kittybook";
const RELEASE = 1; // of the shapes below; a newer one keeps what an older one left

const opening = openDB(NAME, RELEASE, {
  upgrade(database) {
    // A command: {order, id, club, night | null, type, data, expected?, at, status, …what it was answered}
    const commands = database.createObjectStore("commands", { keyPath: "order", autoIncrement: true });
    commands.createIndex("status", "status");
    commands.createIndex("id", "id", { unique: true });
    database.createObjectStore("kept"); // drafts, what was last seen, who sends now: by names of their own
  },
});

/** What waits to be sent, in the order of the taps. */
export const waiting = async () => inOrder(await (await opening).getAllFromIndex("commands", "status", "waiting"));

/** Everything of a night, or of the club where `night` is null, in the order of the taps. */
export async function commandsOf(club, night) {
  const rows = await (await opening).getAll("commands");
  return inOrder(rows.filter((row) => row.club === club && row.night === night));
}

/** Add commands and take others out, all in one: no tab and no flat battery sees half of it. */
export async function change({ add = [], remove = [] }) {
  const transaction = (await opening).transaction("commands", "readwrite", { durability: "strict" });
  await Promise.all([...remove.map((order) => transaction.store.delete(order)), ...add.map((row) => transaction.store.add(row))]);
  await transaction.done;
}

/**
 * Write down what became of commands: that they are being sent, or what they were answered. One that was taken out
 * meanwhile stays out. Returns those that are there.
 */
export async function mark(verdicts) {
  const transaction = (await opening).transaction("commands", "readwrite", { durability: "strict" });
  const found = [];
  for (const { order, ...told } of verdicts) {
    const row = await transaction.store.get(order);
    if (!row) continue;
    found.push({ ...row, ...told });
    await transaction.store.put(found.at(-1));
  }
  await transaction.done;
  return found;
}

/** Return what is kept under a name. */
export const kept = async (name) => (await opening).get("kept", name);

/** Keep something under a name; nothing where it is undefined. */
export async function keep(name, value) {
  const database = await opening;
  await (value === undefined ? database.delete("kept", name) : database.put("kept", value, name));
}

/**
 * Take a name for some time, unless somebody else has it: the lock of browsers that give a page none, as over plain
 * http. Returns whether it is one's own now.
 */
export async function lease(name, owner, ms) {
  const transaction = (await opening).transaction("kept", "readwrite");
  const held = await transaction.store.get(name);
  const free = !held || held.owner === owner || held.until < Date.now();
  if (free) await transaction.store.put({ owner, until: Date.now() + ms }, name);
  await transaction.done;
  return free;
}

function inOrder(rows) {
  return rows.sort((one, other) => one.order - other.order);
}
