/** The tasks of models. A model can have several. */
export const TASKS = ['chat', 'image', 'vision', 'thinking', 'tools', 'embedding'] as const;
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
  /** Absent when the server does not know them. Such a model counts as one that chats. */
  capabilities?: readonly string[];
}

function tasksOf({ capabilities = ['completion'] }: FilteredModel): Set<string> {
  return new Set(capabilities.map((capability) => (capability === 'completion' ? 'chat' : capability)));
}

/** Whether a list with this filter shows the model. Every word of the text occurs in its name or description. */
export function passesFilter(model: FilteredModel, { text, task }: ModelFilter): boolean {
  if (task !== undefined && !tasksOf(model).has(task)) return false;
  const haystack = `${model.name} ${model.description ?? ''}`.toLowerCase();
  return text
    .toLowerCase()
    .split(/\s+/)
    .every((word) => haystack.includes(word));
}

const GROUPS = ['chat', 'image', 'embedding'] as const;
/** The task for which people look for a model first. */
export type Group = (typeof GROUPS)[number];

/** The group of a model in a list. */
export function groupOf(model: FilteredModel): Group {
  const tasks = tasksOf(model);
  return tasks.has('chat') ? 'chat' : tasks.has('image') ? 'image' : 'embedding';
}

/** The models in groups, which keep their order. Empty groups are left out. */
export function grouped<Model>(models: readonly Model[], group: (model: Model) => Group): [Group, Model[]][] {
  return GROUPS.map((own): [Group, Model[]] => [own, models.filter((model) => group(model) === own)]).filter(
    ([, members]) => members.length > 0,
  );
}
