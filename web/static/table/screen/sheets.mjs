// Every sheet by the name that opens it.

import { Chips } from "./chips.mjs";
import { Close } from "./close.mjs";
import { Count } from "./count.mjs";
import { Hands } from "./hands.mjs";
import { Menu, Notes } from "./menu.mjs";
import { HouseRules } from "./rules.mjs";
import { SeatSheet } from "./seat.mjs";
import { Seats } from "./seats.mjs";
import { PoolStory } from "./story.mjs";
import { UndoSheet } from "./takeback.mjs";
import { Unsent } from "./unsent.mjs";

export const sheets = {
  menu: Menu, hands: Hands, seats: Seats, chips: Chips, count: Count, rules: HouseRules, close: Close, notes: Notes,
  unsent: Unsent, pool: PoolStory, seat: SeatSheet, undo: UndoSheet,
};
