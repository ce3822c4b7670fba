import { expect, it } from 'vitest';
import { slackFiles, telegramFiles } from './received-files.ts';

it('finds files only at the addresses of Slack', () => {
  const file = (url: string) => ({ url_private_download: url, name: 'a.png', mimetype: 'image/png' });
  expect(
    slackFiles([
      file('https://files.slack.com/a'),
      file('https://slack.com.evil.test/a'),
      file('https://evil.test/slack.com/'),
      file('http://files.slack.com/a'),
    ]),
  ).toEqual([{ url: 'https://files.slack.com/a', fileName: 'a.png', mimeType: 'image/png' }]);
  expect(slackFiles(undefined)).toEqual([]);
});

it('finds the photo of a size, or a document', () => {
  const photo = [{ file_id: 's' }, { file_id: 'm' }];
  expect(telegramFiles({ call: { message: { photo } }, size: 'small' })).toEqual([{ id: 's' }]);
  expect(telegramFiles({ call: { message: { photo } }, size: 'extraLarge' })).toEqual([{ id: 'm' }]);
  expect(telegramFiles({ call: { channel_post: { document: { file_id: 'd' } } } })).toEqual([{ id: 'd' }]);
  expect(telegramFiles({ call: { message: { text: 'Hi' } } })).toEqual([]);
});
