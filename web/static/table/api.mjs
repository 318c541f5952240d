// The API, asked from a page: every answer is returned, whatever it says; only silence is thrown.

/** Nothing came back, or nothing that the club's server would say: a network may answer in its place. */
export class Unreachable extends Error {
  constructor(reason) {
    super(reason);
    this.name = "Unreachable";
  }
}

const PATIENCE = 8000;

/**
 * Read something: `{status, body, etag}`. With the tag of what one has, 304 and no body where nothing is new.
 * Throws `Unreachable`.
 */
export async function ask(path, { etag = null, signal, timeout } = {}) {
  const headers = { Accept: "application/json" };
  if (etag) headers["If-None-Match"] = etag;
  return answer(path, { headers, cache: "no-store" }, { signal, timeout });
}

/** Send something: `{status, body}`. Throws `Unreachable`: then it may have arrived, and is sent again as it was. */
export async function tell(path, body, { headers = {}, signal, timeout } = {}) {
  const sent = { "Content-Type": "application/json", Accept: "application/json", ...headers };
  return answer(path, { method: "POST", headers: sent, body: JSON.stringify(body) }, { signal, timeout });
}

/** An id for a command, made before it is sent; over plain http a browser has no randomUUID. */
export function newId() {
  if (crypto.randomUUID) return crypto.randomUUID();
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = (bytes[6] & 0x0f) | 0x40;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  const text = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return text.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}

async function answer(path, options, { signal, timeout = PATIENCE }) {
  const given = new AbortController();
  const end = () => given.abort();
  if (signal?.aborted) end();
  signal?.addEventListener("abort", end);
  const timer = setTimeout(end, timeout);
  try {
    const response = await fetch(path, {
      ...options, signal: given.signal, credentials: "same-origin", redirect: "error",
    });
    const etag = response.headers.get("ETag");
    if (response.status === 304) return { status: 304, body: null, etag };
    if (!/^application\/(problem\+)?json/.test(response.headers.get("Content-Type") ?? "")) {
      if (response.status < 500) throw new Unreachable("not an answer of the club's server");
      return { status: response.status, body: null, etag: null };
    }
    const body = await response.json();
    return { status: response.status, body, etag, retryAfter: Number(response.headers.get("Retry-After")) || null };
  } catch (error) {
    throw error instanceof Unreachable ? error : new Unreachable(String(error?.message ?? error));
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", end);
  }
}
