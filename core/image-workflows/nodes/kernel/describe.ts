/** The descriptions of nodes that `/object_info` returns. */

import type { WorkflowFiles } from '../../files/workflow-files.ts';
import { PythonFloat } from '../../python/python-json.ts';
import type { Input, InputOptions } from './inputs.ts';
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

/** A node's entry in `/object_info`. Lists the files of its choices each time. */
export async function describeNode(node: AnyNode, files: WorkflowFiles): Promise<Record<string, unknown>> {
  const inputs = Object.entries(node.inputs as Inputs);
  const sections: Record<string, Record<string, unknown>> = { required: {} };
  for (const [name, input] of inputs) {
    const section = input.optional ? 'optional' : 'required';
    sections[section] ??= {};
    sections[section][name] = await inputConfig(node, input, files);
  }
  if (node.hidden) {
    sections.hidden = Object.fromEntries(
      Object.entries(node.hidden).map(([name, type]) => [name, node.modern ? [type] : type]),
    );
  }
  const order = Object.fromEntries(
    Object.entries(sections).map(([name, section]) => [name, Object.keys(section)]),
  );
  const tooltips = node.outputs.map(({ tooltip }) => tooltip ?? null);
  return {
    input: sections,
    input_order: order,
    output: node.outputs.map(({ type }) => type),
    output_is_list: node.outputs.map(({ list }) => list === true),
    output_name: node.outputs.map(({ type, name }) => name ?? (typeof type === 'string' ? type : 'COMBO')),
    name: node.name,
    display_name: node.displayName ?? (node.modern ? null : node.name),
    description: node.description ?? '',
    python_module: node.module,
    category: node.category,
    output_node: node.isOutput === true,
    ...((node.modern || tooltips.some((tooltip) => tooltip !== null)) && { output_tooltips: tooltips }),
    ...((node.modern || node.deprecated) && { deprecated: node.deprecated === true }),
    ...((node.modern || node.experimental) && { experimental: node.experimental === true }),
    ...(node.modern && { api_node: false }),
  };
}
