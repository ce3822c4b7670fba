/** Which description of a parameter counts for a node, and its value with the defaults of its version. */

import { getPath } from './json-path.ts';
import type {
  NodeDescription,
  NodeSettings,
  Parameter,
  ShowConditions,
  VersionRange,
} from './node-description.ts';
import type { WorkflowNode } from './workflow.ts';

/** A node's literal parameters over the defaults of its type. Unknown types have no defaults. */
export function nodeSettings(type: NodeDescription | undefined, node: WorkflowNode): NodeSettings {
  const cache = new Map<string, unknown>();
  const settings: NodeSettings = {
    node,
    version: node.typeVersion,
    get(path) {
      if (!cache.has(path)) {
        const stored = getPath(node.parameters, path);
        cache.set(path, stored !== undefined ? stored : defaultAt(type?.parameters ?? [], path, settings));
      }
      return cache.get(path);
    },
  };
  return settings;
}

/** The parameters that a form shows for these settings, in order. */
export function shownParameters(parameters: Parameter[], settings: NodeSettings, beside = ''): Parameter[] {
  return parameters.filter((parameter) => isShown(parameter, settings, beside));
}

/** Parameters with every shown default filled in, as execution records hold them. */
export function filledParameters(
  type: NodeDescription | undefined,
  node: WorkflowNode,
): Record<string, unknown> {
  const settings = nodeSettings(type, node);
  const filled: Record<string, unknown> = {};
  for (const parameter of shownParameters(type?.parameters ?? [], settings)) {
    if (parameter.type === 'notice' || Object.hasOwn(filled, parameter.name)) continue;
    filled[parameter.name] = settings.get(parameter.name);
  }
  return { ...filled, ...node.parameters };
}

export function includesVersion(version: number, versions: VersionRange | undefined): boolean {
  return version >= (versions?.from ?? Number.NEGATIVE_INFINITY) && version <= (versions?.to ?? Infinity);
}

function defaultAt(parameters: Parameter[], path: string, settings: NodeSettings): unknown {
  const dot = path.indexOf('.');
  const name = dot < 0 ? path : path.slice(0, dot);
  const parameter = descriptionOf(parameters, name, settings);
  if (!parameter) return undefined;
  // What an optional field would be only counts once it was added: its reader names its own fallback.
  return dot < 0 ? parameter.default : getPath(parameter.default, path.slice(dot + 1));
}

/** The first description of this name that is shown, else the first of this version (hidden ones have defaults too). */
function descriptionOf(parameters: Parameter[], name: string, settings: NodeSettings): Parameter | undefined {
  const named = parameters.filter(
    (one) => one.name === name && includesVersion(settings.version, one.versions),
  );
  // A lone description needs no look at what it depends on, which might in turn depend on it.
  return named.length < 2 ? named[0] : (named.find((one) => isShown(one, settings, '')) ?? named[0]);
}

function isShown(parameter: Parameter, settings: NodeSettings, beside: string): boolean {
  return (
    includesVersion(settings.version, parameter.versions) &&
    holds(parameter.show, settings, beside, true) &&
    !holds(parameter.hide, settings, beside, false)
  );
}

export function meetsConditions(show: ShowConditions | undefined, settings: NodeSettings): boolean {
  return holds(show, settings, '', true);
}

function holds(
  show: ShowConditions | undefined,
  settings: NodeSettings,
  beside: string,
  without: boolean,
): boolean {
  if (!show) return without;
  return Object.entries(show).every(([name, values]) => {
    const value = settings.get(name.startsWith('/') ? name.slice(1) : beside + name);
    return values.some((one) => (Array.isArray(value) ? value.includes(one) : value === one));
  });
}
