/** Questions to persons in the forms of services. */
import type { Button, Question } from '../../shared/ask/question.ts';

type Asked = Question & { version: number };

const buttonsOf = (value: unknown) => value as Button[];

/** Telegram's keyboard below a message. */
export const telegramButtons = (value: unknown) => [
  buttonsOf(value).map(({ label, url }) => ({ text: label, url })),
];

/** Slack's blocks: the message, and its buttons. */
export const slackQuestion = (value: unknown) => {
  const { message, buttons, version } = value as Asked;
  const text =
    version > 2.2 ? { type: 'mrkdwn', text: message } : { type: 'plain_text', text: message, emoji: true };
  return [
    { type: 'divider' },
    { type: 'section', text },
    { type: 'section', text: { type: 'plain_text', text: ' ' } },
    { type: 'divider' },
    {
      type: 'actions',
      elements: buttons.map(({ label, url, isPrimary }) => ({
        type: 'button',
        ...(isPrimary && { style: 'primary' }),
        text: { type: 'plain_text', text: label, emoji: true },
        url,
      })),
    },
  ];
};

/** Discord's row of buttons that open addresses. */
export const discordButtons = (value: unknown) => [
  {
    type: 1,
    components: buttonsOf(value).map(({ label, url }) => ({ type: 2, style: 5, label, url })),
  },
];

/** The message and its addresses as a text, for WhatsApp. */
export const questionText = (value: unknown) => {
  const { message, buttons } = value as Asked;
  return [message, ...buttons.map(({ label, url }) => `*${label}:*\n_${url}_`)].join('\n\n');
};
