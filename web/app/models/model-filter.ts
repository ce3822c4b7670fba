import { canChat } from './capabilities.ts';

/** The tasks of models. A model can have several. */
export const TASKS = [
  'chat',
  'image',
  'vision',
  'thinking',
  'tools',
  'audio',
  'speech',
  'embedding',
] as const;
export type Task = (typeof TASKS)[number];

/** Which models a list shows. */
export interface ModelFilter {
  /** Part of a name or a description. Empty: all. */
  text: string;
  /** Undefined: models of all tasks. */
  task: Task | undefined;
}

export const NO_FILTER: ModelFilter = { text: '', task: undefined };

interface FilteredModel {
  name: string;
  description?: string;
  /** Absent when the server does not know them. */
  capabilities?: readonly string[];
}

function hasTask(model: FilteredModel, task: Task): boolean {
  return task === 'chat' ? canChat(model) : (model.capabilities?.includes(task) ?? false);
}

/** Whether a list with this filter shows the model. Every word of the text occurs in its name or description. */
export function passesFilter(model: FilteredModel, { text, task }: ModelFilter): boolean {
  if (task !== undefined && !hasTask(model, task)) return false;
  const haystack = `${model.name} ${model.description ?? ''}`.toLowerCase();
  return text
    .toLowerCase()
    .split(/\s+/)
    .every((word) => haystack.includes(word));
}

const GROUPS = ['chat', 'image', 'audio', 'speech', 'embedding'] as const;
/** The task for which people look for a model first. */
export type Group = (typeof GROUPS)[number];

/** The group of a model in a list. */
export function groupOf(model: FilteredModel): Group {
  return GROUPS.find((task) => hasTask(model, task)) ?? 'embedding';
}

/** The models in groups, which keep their order. Empty groups are left out. */
export function grouped<Model>(models: readonly Model[], group: (model: Model) => Group): [Group, Model[]][] {
  return GROUPS.map((own): [Group, Model[]] => [own, models.filter((model) => group(model) === own)]).filter(
    ([, members]) => members.length > 0,
  );
}
