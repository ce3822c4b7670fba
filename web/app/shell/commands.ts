import type { AppState } from '../app-state.ts';
import { readPresets } from '../chat/presets/presets.ts';
import { appStrings } from '../strings/app.ts';
import { chatStrings } from '../strings/chat.ts';
import { chatPartStrings } from '../strings/chat-parts.ts';
import { applyColorScheme, COLOR_SCHEMES, type ColorScheme, storeColorScheme } from '../ui/color-scheme.ts';
import type { IconName } from '../ui/icon.ts';
import type { View, ViewName } from '../views.ts';

/** An entry of the command palette. */
export interface AppCommand {
  label: string;
  group: string;
  icon: IconName;
  run(): unknown;
}

const { palette } = appStrings;

const go = (hash: string) => () => {
  location.hash = hash;
};

/** The entries of the palette: views, actions, presets, chats, and the installed models for the open chat. */
export function commandsOf(
  app: Pick<AppState, 'chats' | 'chatModels' | 'chooseModel'>,
  all: Readonly<Record<string, View>>,
): AppCommand[] {
  const views = Object.entries(all).flatMap(([name, { icon }]) =>
    name === 'not-found'
      ? []
      : {
          label: appStrings.nav[name as ViewName],
          group: palette.groups.views,
          icon: icon ?? ('check' as const),
          run: go(name === 'chat' ? '#/' : `#/${name}`),
        },
  );
  const newChat: AppCommand = {
    label: chatStrings.newChat,
    group: palette.groups.actions,
    icon: 'plus',
    run() {
      app.chats.startNew();
      location.hash = '#/';
    },
  };
  const presets = readPresets(localStorage).map(
    ({ name, settings }): AppCommand => ({
      label: chatPartStrings.presets.start(name),
      group: palette.groups.actions,
      icon: 'sliders',
      run() {
        app.chats.startNew();
        void app.chats.update({ settings });
        location.hash = '#/';
      },
    }),
  );
  const schemes = COLOR_SCHEMES.map(
    (scheme: ColorScheme): AppCommand => ({
      label: appStrings.colorScheme(scheme),
      group: palette.groups.theme,
      icon: 'theme',
      run() {
        storeColorScheme(scheme);
        applyColorScheme(scheme);
      },
    }),
  );
  const models = (app.chatModels ?? []).map(
    ({ name }): AppCommand => ({
      label: palette.chatWith(name),
      group: palette.groups.models,
      icon: 'models',
      run() {
        app.chooseModel(name);
        void app.chats.update({ model: name });
        location.hash = '#/';
      },
    }),
  );
  const chats = (app.chats.list ?? []).map(
    ({ id, title }): AppCommand => ({
      label: title || chatStrings.untitled,
      group: palette.groups.chats,
      icon: 'chat',
      run: go(`#/chat/${id}`),
    }),
  );
  return [newChat, ...presets, ...views, ...models, ...chats, ...schemes];
}

/** The commands that contain all words of `query`. Those that begin with it come first. */
export function matchingCommands(commands: readonly AppCommand[], query: string): AppCommand[] {
  const text = query.trim().toLowerCase();
  const words = text.split(/\s+/).filter(Boolean);
  const found = commands.filter(({ label, group }) => {
    const all = `${label} ${group}`.toLowerCase();
    return words.every((word) => all.includes(word));
  });
  if (text === '') return found;
  const begins = ({ label }: AppCommand) => label.toLowerCase().startsWith(text);
  return [...found.filter(begins), ...found.filter((command) => !begins(command))];
}
