/**
 * Inputs that follow from the graph. A graph fills as many members of a group as it likes (`images.image0`). The value of
 * a choice decides which further inputs there are (`resize_type.width`).
 */
import type { Dynamic, Input, InputOptions, InputValues } from './inputs.ts';
import type { Inputs } from './node-type.ts';

/** The names of a group's members: numbered from 0 after a prefix, or a list. */
export type MemberNames =
  | { prefix: string; min: number; max: number }
  | { names: readonly string[]; min: number };

/**
 * A group of equal inputs that a graph names `GROUP.MEMBER`. `run` receives the members that are there, by name.
 * @param template the member's name in `/object_info`
 */
export function group<T>(
  template: string,
  member: Input<T, boolean>,
  names: MemberNames,
  options?: InputOptions,
): Input<Readonly<Record<string, T>>> {
  const dynamic: Dynamic = {
    kind: 'group',
    member,
    template,
    min: names.min,
    ...('prefix' in names
      ? { prefix: names.prefix, names: Array.from({ length: names.max }, (_, at) => `${names.prefix}${at}`) }
      : { names: names.names }),
  };
  return { type: 'COMFY_AUTOGROW_V3', options, optional: false, dynamic };
}

/** The value of `variants`: the chosen key and the inputs that belong to it. */
export type VariantValue<V> = { [K in keyof V]: { key: K } & InputValues<V[K]> }[keyof V];

/** A choice that decides which inputs follow. The graph names them `CHOICE.INPUT`. */
export function variants<const V extends Readonly<Record<string, Inputs>>>(
  choices: V,
  options?: InputOptions,
): Input<VariantValue<V>> {
  const dynamic: Dynamic = { kind: 'variants', variants: choices };
  return { type: 'COMFY_DYNAMICCOMBO_V3', options, optional: false, dynamic };
}

/** An input of any of these types. Outputs with the same template have the type of what is linked here. */
export const matching = (
  template_id: string,
  allowed_types = '*',
  options: InputOptions = {},
): Input<unknown> => ({
  type: 'COMFY_MATCHTYPE_V3',
  options: { ...options, template: { template_id, allowed_types } },
  optional: false,
});

/** The literals and links of a node, by input name. */
export interface HeldInputs {
  has(name: string): boolean;
  get(name: string): unknown;
}

const isDynamic = (inputs: Inputs): boolean => Object.values(inputs).some(({ dynamic }) => dynamic);

/** The inputs of a node in a graph by their names in the graph, with the members of groups and variants. */
export function expandInputs(inputs: Inputs, held: HeldInputs, prefix = ''): Inputs {
  if (prefix === '' && !isDynamic(inputs)) return inputs;
  const flat: Inputs = {};
  for (const [key, input] of Object.entries(inputs)) {
    const name = prefix + key;
    const { dynamic } = input;
    if (dynamic?.kind === 'group') {
      for (const [at, member] of dynamic.names.entries()) {
        const isNeeded = at < dynamic.min && !input.optional;
        if (isNeeded || held.has(`${name}.${member}`))
          flat[`${name}.${member}`] = isNeeded ? dynamic.member : { ...dynamic.member, optional: true };
      }
    } else if (dynamic) {
      flat[name] = { ...input, type: { choices: Object.keys(dynamic.variants) } };
      const chosen = held.get(name);
      const variant = Object.hasOwn(dynamic.variants, String(chosen)) && dynamic.variants[String(chosen)];
      if (variant) Object.assign(flat, expandInputs(variant, held, `${name}.`));
    } else flat[name] = input;
  }
  return flat;
}

/** Values by their names in the graph as `run` receives them: members within their group or variant. */
export function nestValues(
  inputs: Inputs,
  flat: Readonly<Record<string, unknown>>,
  prefix = '',
): Record<string, unknown> {
  if (prefix === '' && !isDynamic(inputs)) return flat as Record<string, unknown>;
  const values: Record<string, unknown> = {};
  for (const [key, { dynamic }] of Object.entries(inputs)) {
    const name = prefix + key;
    if (dynamic?.kind === 'group') {
      const members = dynamic.names.filter((member) => flat[`${name}.${member}`] !== undefined);
      values[key] = Object.fromEntries(members.map((member) => [member, flat[`${name}.${member}`]]));
    } else if (dynamic) {
      const chosen = flat[name];
      // A node that takes lists receives the choice as a list of one.
      const variant = dynamic.variants[String(Array.isArray(chosen) ? chosen[0] : chosen)];
      values[key] = { key: chosen, ...(variant && nestValues(variant, flat, `${name}.`)) };
    } else if (flat[name] !== undefined) values[key] = flat[name];
  }
  return values;
}
