/** Facts about a connected tab, by which a request gets its tab. */
export interface TabState {
  isHome: boolean;
  /** Whether it has answered its pings in time. */
  isResponsive: boolean;
  /** Requests that it is answering now, for the ports and for its own pages. */
  outstanding: number;
  /** Installed models, by canonical names. */
  models: ReadonlySet<string>;
  /** Models in memory, or on their way there. */
  loaded: ReadonlySet<string>;
  battery?: { level: number; charging: boolean };
  /** When it got its last request from this shim. 0: never. */
  lastRequest: number;
}

/** A model that has to be loaded costs as much as this many waiting requests. */
const LOAD_COST = 2;
/** Likewise for a battery that runs out, so that such a tab helps only when the others are busy. */
const BATTERY_COST = 2;
const LOW_BATTERY = 0.2;

/**
 * The tabs that may answer a request for a model, best first.
 *
 * Tabs that have the model come alone, if there are any; else all, with the home first: it answers that the model is not
 * there. Among them, tabs that react come before silent ones. Then the one with the least work is first, where a load of
 * the model and a low battery count as work. Equal ones take turns.
 */
export function rankTabs<T extends TabState>(tabs: readonly T[], model: string | undefined): T[] {
  const holders =
    model === undefined ? [] : tabs.filter((tab) => tab.models.has(model) || tab.loaded.has(model));
  if (holders.length === 0) return [...tabs].sort(byHome);
  const cost = new Map(holders.map((tab) => [tab, costOf(tab, model!)]));
  return holders.sort(
    (a, b) =>
      Number(b.isResponsive) - Number(a.isResponsive) ||
      cost.get(a)! - cost.get(b)! ||
      a.lastRequest - b.lastRequest,
  );
}

function byHome(a: TabState, b: TabState): number {
  return Number(b.isHome) - Number(a.isHome) || Number(b.isResponsive) - Number(a.isResponsive);
}

function costOf({ outstanding, loaded, battery }: TabState, model: string): number {
  const isLow = battery !== undefined && !battery.charging && battery.level < LOW_BATTERY;
  return outstanding + (loaded.has(model) ? 0 : LOAD_COST) + (isLow ? BATTERY_COST : 0);
}
