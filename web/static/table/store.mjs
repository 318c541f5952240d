// What a tablet keeps: commands until they are answered and safe, drafts at every tap, and what it last saw.
//
// All is kept in IndexedDB. Where a browser has none, or it takes no more, everything goes on in the memory of the
// page, and `lasting` says so: what was not sent then is lost with the page, and people must be told.

import { openDB } from "./vendor/idb.mjs";

const NAME = "kittybook";
const RELEASE = 1; // of the shapes below; a newer one keeps what an older one left
const PATIENCE = 10_000; // a browser that has not opened it by then will not
const SHELVES = ["commands", "done", "kept"];

let opening = null;
let memory = null;
let rescuing = null;
let turn = null; // in memory one thing is done after another, as transactions are

/** Whether what is kept outlives the page: false where there is no IndexedDB, or it is full. */
export const lasting = () => memory === null;

// Commands: {order, id, club, night | null, type, data, expected?, shown?, at, status, …what it was answered}

/** The commands that are not settled: waiting, refused, or recorded and not yet seen in a state; in the order of the taps. */
export const open = () => using(({ commands }) => commands.getAll(), "readonly");

/** A command by its id, settled ones too. */
export const find = (id) =>
  using(async ({ commands, done }) => (await commands.getAll()).find((row) => row.id === id) ?? done.index("id").get(id), "readonly");

/**
 * Change commands by what they are at that moment, and what is kept beside them, all in one: no tab, no sender and no
 * flat battery comes between. `decide(rows)` returns `{add, put, remove, settle, keep}`: new ones, changed ones, orders
 * to take out, those that are safe in the book, and what is kept by name. Returns it, with what was added as kept.
 */
export function change(decide) {
  return using(async ({ commands, done, kept }) => {
    const decided = decide(await commands.getAll());
    const { add = [], put = [], remove = [], settle = [], keep: names = {} } = decided;
    for (const order of remove) await commands.delete(order);
    for (const row of settle) {
      await commands.delete(row.order);
      await done.put(row);
    }
    for (const row of put) await commands.put(row);
    const added = [];
    for (const row of add) added.push({ ...row, order: await commands.put(row) });
    for (const [name, value] of Object.entries(names)) await (value === undefined ? kept.delete(name) : kept.put(value, name));
    return { ...decided, add: added };
  });
}

/** Offer again what an older history of the club had taken; once for each epoch, whichever tab hears of it first. */
export function offerAgain(place, epoch, isOf) {
  return using(async ({ commands, done, kept }) => {
    const known = await kept.get(`epoch:${place}`);
    if (known !== epoch) await kept.put(epoch, `epoch:${place}`);
    if (known === undefined || known === epoch) return 0;
    const rows = [...(await done.getAll()), ...(await commands.getAll())].filter((row) => row.status === "recorded" && isOf(row));
    for (const { version: _then, tried: _tried, expected: _expected, ...row } of rows) {
      await done.delete(row.order);
      await commands.put({ ...row, status: "waiting", again: true });
    }
    return rows.length;
  });
}

/** Let go of settled commands that are safe elsewhere too, and of drafts and states that nobody came back to. */
export function forget(isSafe, before) {
  return using(async ({ done, kept }) => {
    for (const row of await done.getAll()) if (isSafe(row) || Date.parse(row.at) < before) await done.delete(row.order);
    for (const name of await kept.getAllKeys()) {
      const old = /^(seen|draft|forms):/.test(name) && (await kept.get(name)).at < before;
      if (old) await kept.delete(name);
    }
  });
}

/** Return what is kept under a name. */
export const kept = (name) => using((shelves) => shelves.kept.get(name), "readonly");

/** Keep something under a name; nothing where it is undefined. */
export const keep = (name, value) => change(() => ({ keep: { [name]: value } }));

/**
 * Take a name for some time, unless somebody else has it: the lock of browsers that give a page none, as over plain
 * http. Returns whether it is one's own now.
 */
export function lease(name, owner, ms) {
  return using(async (shelves) => {
    const held = await shelves.kept.get(name);
    const free = !held || held.owner === owner || held.until < Date.now();
    if (free) await shelves.kept.put({ owner, until: Date.now() + ms }, name);
    return free;
  });
}

// Where it is kept

function database() {
  opening ??= Promise.race([
    openDB(NAME, RELEASE, { upgrade: build, terminated: () => (opening = null) }),
    new Promise((_go, fail) => setTimeout(() => fail(new DOMException("not opened", "TimeoutError")), PATIENCE)),
  ]);
  return opening;
}

function build(shelves) {
  shelves.createObjectStore("commands", { keyPath: "order", autoIncrement: true });
  shelves.createObjectStore("done", { keyPath: "order" }).createIndex("id", "id");
  shelves.createObjectStore("kept"); // drafts, what was last seen, who sends now: by names of their own
}

/** Do something with what is kept; it may be done anew, elsewhere, where it could not be done. */
async function using(work, mode = "readwrite") {
  for (let tries = 1; !memory; tries += 1) {
    try {
      return await inDatabase(work, mode);
    } catch (error) {
      if (["DataError", "DataCloneError", "ConstraintError"].includes(error.name) || !isOfStorage(error)) throw error;
      if (tries > 1) {
        console.warn(`Kittybook keeps nothing here: ${error.name}, ${error.message}`);
        memory = await (rescuing ??= rescued()); // the same for all who come to it at once
      } else if (error.name === "QuotaExceededError") await makeRoom();
      else opening = null; // browsers lose the connection when a tablet sleeps
    }
  }
  turn = Promise.resolve(turn).catch(() => {}).then(() => work(memory));
  return turn;
}

const isOfStorage = (error) => error instanceof DOMException || globalThis.indexedDB === undefined;

async function inDatabase(work, mode) {
  const transaction = (await database()).transaction(SHELVES, mode, mode === "readwrite" ? { durability: "strict" } : {});
  const ended = transaction.done;
  ended.catch(() => {}); // it is awaited below, unless the work fails first, and tells as much
  try {
    const found = await work(Object.fromEntries(SHELVES.map((name) => [name, transaction.objectStore(name)])));
    await ended;
    return found;
  } catch (error) {
    const full = transaction.error?.name === "QuotaExceededError";
    try {
      transaction.abort();
    } catch {
      // it has ended already
    }
    throw full ? transaction.error : error;
  }
}

async function makeRoom() {
  await inDatabase(async ({ done }) => done.clear(), "readwrite").catch(() => {});
}

/** Return what could still be read, to go on with. */
async function rescued() {
  const shelves = { commands: new Shelf("order"), done: new Shelf("order"), kept: new Shelf() };
  try {
    await inDatabase(async ({ commands, kept: names }) => {
      for (const row of await commands.getAll()) shelves.commands.put(row);
      for (const name of await names.getAllKeys()) shelves.kept.put(await names.get(name), name);
    }, "readonly");
  } catch {
    // nothing can be read either: it begins empty
  }
  return shelves;
}

/** As much of an object store as is used here. */
class Shelf {
  #rows = new Map();
  #path;
  #last = 0;

  constructor(path) {
    this.#path = path;
  }

  put(value, name) {
    const key = this.#path ? (value[this.#path] ?? Math.floor(this.#last) + 1) : name;
    if (this.#path) this.#last = Math.max(this.#last, key);
    this.#rows.set(key, this.#path ? { ...value, [this.#path]: key } : value);
    return key;
  }

  get = (key) => this.#rows.get(key);
  delete = (key) => this.#rows.delete(key);
  getAllKeys = () => [...this.#rows.keys()];
  getAll = () => [...this.#rows.entries()].sort(([one], [other]) => one - other).map(([, row]) => row);
  index = (name) => ({ get: (value) => this.getAll().find((row) => row[name] === value) });
}
