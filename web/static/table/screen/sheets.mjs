// Every sheet by the name that opens it.

import { PoolStory } from "./story.mjs";
import { SeatSheet } from "./seat.mjs";
import { UndoSheet } from "./takeback.mjs";

export const sheets = { pool: PoolStory, seat: SeatSheet, undo: UndoSheet };
