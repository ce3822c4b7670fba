import { chatStrings } from '../../strings/chat.ts';
import { locale } from '../../strings/language.ts';
import type { Conversation } from '../conversation.ts';

export interface ChatGroup {
  label: string;
  /** The name of the folder. Absent for the groups by day. */
  folder?: string;
  conversations: Conversation[];
}

const DAY = 86_400_000;

/** Pinned conversations, those of each folder by its name, and the others under the day of their last change. */
export function chatGroups(list: readonly Conversation[], now = Date.now()): ChatGroup[] {
  const { pinned } = chatStrings.groups;
  const midnight = new Date(now).setHours(0, 0, 0, 0);
  const others = list.filter((conversation) => !conversation.pinned);
  return [
    ...grouped(
      list.filter((conversation) => conversation.pinned),
      () => pinned,
    ),
    ...foldersOf(list).flatMap((folder) =>
      grouped(
        others.filter((conversation) => conversation.folder === folder),
        () => folder,
      ).map((group) => ({ ...group, folder })),
    ),
    ...grouped(
      others.filter(({ folder }) => folder === undefined),
      ({ updated }) => dayLabel(updated, midnight),
    ),
  ];
}

/** The names of all folders, sorted. */
export function foldersOf(list: readonly Conversation[]): string[] {
  const names = new Set(list.flatMap(({ folder }) => (folder === undefined ? [] : [folder])));
  return [...names].sort((a, b) => a.localeCompare(b, locale, { numeric: true }));
}

/** Groups in the order of their first conversations. */
function grouped(
  list: readonly Conversation[],
  labelOf: (conversation: Conversation) => string,
): ChatGroup[] {
  const groups = new Map<string, Conversation[]>();
  for (const conversation of list) {
    const label = labelOf(conversation);
    groups.set(label, [...(groups.get(label) ?? []), conversation]);
  }
  return [...groups].map(([label, conversations]) => ({ label, conversations }));
}

function dayLabel(time: number, midnight: number): string {
  const { groups } = chatStrings;
  if (time >= midnight) return groups.today;
  if (time >= midnight - DAY) return groups.yesterday;
  if (time >= midnight - 7 * DAY) return groups.week;
  if (time >= midnight - 30 * DAY) return groups.month;
  return new Intl.DateTimeFormat(locale, { month: 'long', year: 'numeric' }).format(time);
}
