/**
 * The modules of transformers in their original layouts, as diffusers calls them. Where one module of the original does
 * the work of several, its rows are those of the several, one after the other.
 */
import names from './original-transformer-names.json' with { type: 'json' };
import trainerNames from './trainer-names.json' with { type: 'json' };

/** The rows of a module of the original that are one of diffusers, in shares of all rows. */
export interface ModuleRows {
  readonly module: string;
  readonly start: number;
  readonly end: number;
  readonly total: number;
}

/** Maps names of modules with their blocks' number as `*`. */
type Table = Readonly<Record<string, readonly string[]>>;

export type OriginalLayout = keyof typeof names;

const TABLES = names as Readonly<Record<OriginalLayout, Table>>;
/** Names that trainers of adapters use for modules of networks in their own layout, by families. */
const TRAINERS: Readonly<Record<string, Table>> = trainerNames;
/** By names with `_` for every dot, for the names in adapters: one table for each layout and trainer. */
const UNDERSCORED: readonly Table[] = [TABLES, TRAINERS]
  .flatMap(Object.values<Table>)
  .map((table) =>
    Object.fromEntries(
      Object.entries(table).map(([name, parts]) => [underscored(name), parts.map(underscored)]),
    ),
  );

/** @param module as the original calls it. Undefined: the layout has no such module */
export const diffusersModules = (layout: OriginalLayout, module: string): ModuleRows[] | undefined =>
  rowsIn(TABLES[layout], module, /^(\w+\.(?:\w+\.)??)(\d+)(?=\.|$)/);

/**
 * All modules of a layout: the names of the original, with the parts of diffusers. Blocks have `*` in place of a number.
 * A part may begin with its share of the rows, such as `4 `.
 */
export const originalModules = (layout: OriginalLayout): [original: string, parts: readonly string[]][] =>
  Object.entries(TABLES[layout]);

/** The same for a name with `_` for every dot: the modules in each layout that has the name. */
export const diffusersModuleKeys = (key: string): ModuleRows[][] =>
  UNDERSCORED.flatMap((table) => {
    const rows = rowsIn(table, key, /((?:blocks|layers|norms)_)(\d+)(?=_|$)/);
    return rows ? [rows] : [];
  });

function rowsIn(table: Table, module: string, blockNumber: RegExp): ModuleRows[] | undefined {
  const [, , number = ''] = blockNumber.exec(module) ?? [];
  const parts = table[module] ?? table[module.replace(blockNumber, '$1*')];
  if (!parts) return undefined;
  const shares = parts.map((part) => Number(/^\d+(?= )/.exec(part)?.[0] ?? 1));
  const total = shares.reduce((sum, share) => sum + share, 0);
  let end = 0;
  return parts.map((part, index) => {
    const start = end;
    end += shares[index]!;
    return { module: part.replace(/^\d+ /, '').replace('*', number), start, end, total };
  });
}

function underscored(name: string): string {
  return name.replaceAll('.', '_');
}
