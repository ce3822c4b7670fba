import { chatStrings } from '../strings/chat.ts';
import type { Conversation } from './conversation.ts';

export interface ChatGroup {
  label: string;
  conversations: Conversation[];
}

const DAY = 86_400_000;

/** Conversations under the day of their last change, newest first. Pinned ones come before all. */
export function chatGroups(list: readonly Conversation[], now = Date.now()): ChatGroup[] {
  const groups = new Map<string, Conversation[]>();
  const add = (label: string, conversation: Conversation) =>
    groups.set(label, [...(groups.get(label) ?? []), conversation]);
  const midnight = new Date(now).setHours(0, 0, 0, 0);
  for (const conversation of list) if (conversation.pinned) add(chatStrings.groups.pinned, conversation);
  for (const conversation of list)
    if (!conversation.pinned) add(dayLabel(conversation.updated, midnight), conversation);
  return [...groups].map(([label, conversations]) => ({ label, conversations }));
}

function dayLabel(time: number, midnight: number): string {
  const { groups } = chatStrings;
  if (time >= midnight) return groups.today;
  if (time >= midnight - DAY) return groups.yesterday;
  if (time >= midnight - 7 * DAY) return groups.week;
  if (time >= midnight - 30 * DAY) return groups.month;
  return new Intl.DateTimeFormat('en', { month: 'long', year: 'numeric' }).format(time);
}
