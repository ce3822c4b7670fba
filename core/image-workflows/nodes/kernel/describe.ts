/** The descriptions of nodes that `/object_info` returns. */

import type { WorkflowFiles } from '../../files/workflow-files.ts';
import { PythonFloat } from '../../python/python-json.ts';
import type { Dynamic, Input, InputOptions } from './inputs.ts';
import type { AnyNode, Inputs } from './node-type.ts';

/** The current options of a choice. Undefined for other inputs. */
export async function choicesOf(
  input: Input<unknown, boolean>,
  files: WorkflowFiles,
): Promise<readonly string[] | undefined> {
  if (typeof input.type === 'string') return undefined;
  const { choices } = input.type;
  return typeof choices === 'function' ? choices(files) : choices;
}

/** `[type, options]` as `/object_info` and validation errors show an input. `[type]` alone without options. */
export async function inputConfig(
  node: AnyNode,
  input: Input<unknown, boolean>,
  files: WorkflowFiles,
): Promise<unknown[]> {
  if (input.dynamic) return dynamicConfig(node, input.dynamic, input.options, files);
  const choices = await choicesOf(input, files);
  const options = input.options && publishedOptions(input.type, input.options);
  if (choices === undefined) return options ? [input.type, options] : [input.type];
  if (!node.modern) return options ? [choices, options] : [choices];
  return ['COMBO', { ...options, multiselect: options?.multiselect ?? false, options: choices }];
}

const FLOATS = ['default', 'min', 'max', 'step', 'round'];

/** The options of a FLOAT as Python floats: JSON then has `1.0`, where JavaScript would write `1`. */
function publishedOptions(type: Input<unknown>['type'], options: InputOptions): Record<string, unknown> {
  if (type !== 'FLOAT') return options;
  return Object.fromEntries(
    Object.entries(options).map(([name, value]) => [
      name,
      FLOATS.includes(name) && typeof value === 'number' ? new PythonFloat(value) : value,
    ]),
  );
}

async function dynamicConfig(
  node: AnyNode,
  dynamic: Dynamic,
  options: InputOptions | undefined,
  files: WorkflowFiles,
): Promise<unknown[]> {
  if (dynamic.kind === 'variants') {
    const variants = Object.entries(dynamic.variants).map(async ([key, inputs]) => ({
      key,
      inputs: await describeInputs(node, inputs, files),
    }));
    return ['COMFY_DYNAMICCOMBO_V3', { ...options, options: await Promise.all(variants) }];
  }
  const { member, min, names, prefix, template } = dynamic;
  const input = await describeInputs(node, { [template]: member }, files);
  const named = prefix === undefined ? { names, min } : { prefix, min, max: names.length };
  return ['COMFY_AUTOGROW_V3', { ...options, template: { input, ...named } }];
}

/** Inputs by section: `required`, and `optional` where there are such. */
async function describeInputs(
  node: AnyNode,
  inputs: Inputs,
  files: WorkflowFiles,
): Promise<Record<string, Record<string, unknown>>> {
  const sections: Record<string, Record<string, unknown>> = { required: {} };
  for (const [name, input] of Object.entries(inputs)) {
    const section = input.optional ? 'optional' : 'required';
    sections[section] ??= {};
    sections[section][name] = await inputConfig(node, input, files);
  }
  return sections;
}

/** A node's entry in `/object_info`. Lists the files of its choices each time. */
export async function describeNode(node: AnyNode, files: WorkflowFiles): Promise<Record<string, unknown>> {
  const sections = await describeInputs(node, node.inputs as Inputs, files);
  if (node.hidden) {
    sections.hidden = Object.fromEntries(
      Object.entries(node.hidden).map(([name, type]) => [name, node.modern ? [type] : type]),
    );
  }
  const order = Object.fromEntries(
    Object.entries(sections).map(([name, section]) => [name, Object.keys(section)]),
  );
  const outputs = node.outputs.filter(({ isUnlisted }) => !isUnlisted);
  const hasMatches = outputs.some(({ matches }) => matches !== undefined);
  const tooltips = outputs.map(({ tooltip }) => tooltip ?? null);
  return {
    input: sections,
    input_order: order,
    output: outputs.map(({ type }) => type),
    output_is_list: outputs.map(({ list }) => list === true),
    output_name: outputs.map(({ type, name }) => name ?? (typeof type === 'string' ? type : 'COMBO')),
    name: node.name,
    display_name: node.displayName ?? (node.modern ? null : node.name),
    description: node.description ?? '',
    python_module: node.module,
    category: node.category,
    output_node: node.isOutput === true,
    ...((node.modern || tooltips.some((tooltip) => tooltip !== null)) && { output_tooltips: tooltips }),
    ...(hasMatches && { output_matchtypes: outputs.map(({ matches }) => matches ?? null) }),
    ...((node.modern || node.deprecated) && { deprecated: node.deprecated === true }),
    ...((node.modern || node.experimental) && { experimental: node.experimental === true }),
    ...(node.modern && { api_node: false }),
  };
}
