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

/** The group of a model in a list: the task for which people look for it first. */
export function groupOf(model: FilteredModel): 'chat' | 'image' | 'embedding' {
  const tasks = tasksOf(model);
  return tasks.has('chat') ? 'chat' : tasks.has('image') ? 'image' : 'embedding';
}

/** The models in groups, which keep their order. Empty groups are left out. */
export function grouped<Model>(models: readonly Model[], group: (model: Model) => Task): [Task, Model[]][] {
  return TASKS.map((task): [Task, Model[]] => [task, models.filter((model) => group(model) === task)]).filter(
    ([, members]) => members.length > 0,
  );
}
