/** Reads a node's parameters: chooses the description for the node's version, and fills in defaults. */
import { getPath } from './json-path.ts';
import type {
  NodeDescription,
  NodeSettings,
  NodeVersionRange,
  Parameter,
  ShowConditions,
} from './node-description.ts';
import type { WorkflowNode } from './workflow.ts';

/**
 * A node's literal parameters over the defaults of its type.
 * @param type undefined for an unknown type, which has no defaults
 */
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

/**
 * The parameters that a form shows for these settings, in order.
 * @param group path of the group that the parameters belong to, with a dot at its end; empty for the node itself
 */
export function shownParameters(parameters: Parameter[], settings: NodeSettings, group = ''): Parameter[] {
  return parameters.filter((parameter) => isShown(parameter, settings, group));
}

/** All stored parameters, and the defaults of those that are shown: the form of execution records. */
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

/** @param versions undefined: every version */
export function includesVersion(version: number, versions: NodeVersionRange | undefined): boolean {
  return version >= (versions?.from ?? Number.NEGATIVE_INFINITY) && version <= (versions?.to ?? Infinity);
}

/** Whether all conditions hold for the settings. No conditions hold always. */
export function meetsConditions(show: ShowConditions | undefined, settings: NodeSettings): boolean {
  return !show || allHold(show, settings, '');
}

function defaultAt(parameters: Parameter[], path: string, settings: NodeSettings): unknown {
  const dot = path.indexOf('.');
  const name = dot < 0 ? path : path.slice(0, dot);
  const parameter = descriptionOf(parameters, name, settings);
  if (!parameter) return undefined;
  // The default of an optional field counts only after it was added: its reader has a fallback of its own.
  return dot < 0 ? parameter.default : getPath(parameter.default, path.slice(dot + 1));
}

/** The first shown description of this name. Without a shown one the first of the version: it has a default too. */
function descriptionOf(parameters: Parameter[], name: string, settings: NodeSettings): Parameter | undefined {
  const candidates = parameters.filter(
    (parameter) => parameter.name === name && includesVersion(settings.version, parameter.versions),
  );
  // The conditions of a single description are not read: they could depend on this parameter in turn.
  if (candidates.length < 2) return candidates[0];
  return candidates.find((parameter) => isShown(parameter, settings, '')) ?? candidates[0];
}

function isShown(parameter: Parameter, settings: NodeSettings, group: string): boolean {
  const { show, hide, versions } = parameter;
  return (
    includesVersion(settings.version, versions) &&
    (!show || allHold(show, settings, group)) &&
    !(hide && allHold(hide, settings, group))
  );
}

function allHold(conditions: ShowConditions, settings: NodeSettings, group: string): boolean {
  return Object.entries(conditions).every(([name, allowed]) => {
    const value = settings.get(name.startsWith('/') ? name.slice(1) : group + name);
    return allowed.some((option) => (Array.isArray(value) ? value.includes(option) : value === option));
  });
}
