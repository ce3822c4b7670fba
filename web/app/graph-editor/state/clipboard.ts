import {
  extractFragment,
  type Fragment,
  insertFragment,
  parseFragment,
  printFragment,
} from '../graph/fragment.ts';
import type { EditableGraph } from './editable-graph.ts';
import type { GroupEdits } from './group-edits.ts';

/** Distance in pixels between the original and its copy. */
const OFFSET = 40;

/** Copies, cuts, pastes and duplicates the selection. */
export class Clipboard {
  #copied: Fragment | undefined;
  #pastes = 0;

  constructor(
    private readonly state: EditableGraph,
    private readonly groups: GroupEdits,
  ) {}

  get canPaste(): boolean {
    return this.#copied !== undefined;
  }

  /** Copies the selection. Returns its text for the system's clipboard, or undefined when nothing is selected. */
  copy(): string | undefined {
    const fragment = this.#selected();
    if (!fragment) return undefined;
    this.#copied = fragment;
    this.#pastes = 0;
    this.state.changed();
    return printFragment(fragment);
  }

  cut(): string | undefined {
    const text = this.copy();
    if (text === undefined) return undefined;
    const { selectedGroup } = this.state;
    this.state.delete(new Set(this.#copied?.nodes.map(({ id }) => id)));
    if (selectedGroup !== undefined) this.groups.remove(selectedGroup);
    return text;
  }

  /**
   * Inserts `text`, or without it the last copy. `at` is the upper left corner of the inserted nodes.
   * Returns false when there is nothing to insert.
   */
  paste(text?: string, at?: { x: number; y: number }): boolean {
    const fragment = (text !== undefined && parseFragment(text)) || (text === undefined && this.#copied);
    if (!fragment || fragment.nodes.length === 0) return false;
    this.#pastes += 1;
    this.insert(fragment, at ?? offsetPosition(fragment, OFFSET * this.#pastes));
    return true;
  }

  duplicate(): void {
    const fragment = this.#selected();
    if (fragment) this.insert(fragment);
  }

  insert(fragment: Fragment, at: { x: number; y: number } = offsetPosition(fragment, OFFSET)): void {
    const { state } = this;
    const { graph, ids } = insertFragment(state.graph, fragment, at, state.namer());
    state.edit(graph);
    state.select(ids);
  }

  /** The selected nodes with each group whose nodes are all selected; or the selected group with its nodes. */
  #selected(): Fragment | undefined {
    const { groups } = this;
    const { selectedGroup, selection, graph } = this.state;
    const selected = groups.get(selectedGroup);
    const ids = selected ? new Set(groups.members(selected)) : selection;
    if (ids.size === 0) return undefined;
    const complete = groups.all.filter((each) => {
      const members = groups.members(each);
      return members.length > 0 && members.every((id) => ids.has(id));
    });
    return extractFragment(graph, ids, complete);
  }
}

function offsetPosition({ nodes }: Fragment, offset: number): { x: number; y: number } {
  return {
    x: Math.min(...nodes.map(({ x }) => x)) + offset,
    y: Math.min(...nodes.map(({ y }) => y)) + offset,
  };
}
