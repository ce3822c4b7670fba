import { describe, expect, it } from 'vitest';
import { ollamaClientUrl, parseOllamaHost } from './ollama-host.ts';

describe('parseOllamaHost', () => {
  it.each([
    ['', 'http://127.0.0.1:11434'],
    ['1.2.3.4', 'http://1.2.3.4:11434'],
    ['1.2.3.4:1234', 'http://1.2.3.4:1234'],
    [':1234', 'http://127.0.0.1:1234'],
    ['example.com', 'http://example.com:11434'],
    ['example.com:1234', 'http://example.com:1234'],
    ['http://1.2.3.4', 'http://1.2.3.4:80'],
    ['https://1.2.3.4', 'https://1.2.3.4:443'],
    ['HTTPS://example.com', 'https://example.com:443'],
    ['https://1.2.3.4:1234', 'https://1.2.3.4:1234'],
    ['https://example.com/ollama', 'https://example.com:443/ollama'],
    ['example.com:1234/ollama/', 'http://example.com:1234/ollama'],
    ['example.com/', 'http://example.com:11434'],
    ['0.0.0.0', 'http://127.0.0.1:11434'],
    ['0.0.0.0:80', 'http://127.0.0.1:80'],
    ['::', 'http://127.0.0.1:11434'],
    ['::1', 'http://[::1]:11434'],
    ['[::1]', 'http://[::1]:11434'],
    ['[::1]:1337', 'http://[::1]:1337'],
    ['1.2.3.4:0', 'http://1.2.3.4:0'],
    ['1.2.3.4:65535', 'http://1.2.3.4:65535'],
    ['1.2.3.4:+80', 'http://1.2.3.4:80'],
    ['[]:80', 'http://127.0.0.1:80'],
    ['https://[::1]/a//', 'https://[::1]:443/a'],
    ['/a/b', 'http://127.0.0.1:11434/a/b'],
  ])('%s is %s', (text, address) => {
    const host = parseOllamaHost(text);
    expect(ollamaClientUrl(host)).toBe(address);
    expect(host.warning).toBeUndefined();
  });

  it.each([
    ['1.2.3.4:65536', 'http://1.2.3.4:11434', "'65536' is no port number, 11434 is used"],
    ['1.2.3.4:66000', 'http://1.2.3.4:11434', "'66000' is no port number, 11434 is used"],
    ['1.2.3.4:-1', 'http://1.2.3.4:11434', "'-1' is no port number"],
    ['1.2.3.4:abc', 'http://1.2.3.4:11434', "'abc' is no port number"],
    ['https://1.2.3.4:abc', 'https://1.2.3.4:443', "'abc' is no port number, 443 is used"],
    ['1.2.3.4:', 'http://1.2.3.4:11434', "'' is no port number"],
    ['ftp://1.2.3.4', 'http://1.2.3.4:80', "'ftp://' is neither http:// nor https://"],
  ])('%s is %s with a warning', (text, address, warning) => {
    const host = parseOllamaHost(text);
    expect(ollamaClientUrl(host)).toBe(address);
    expect(host.warning).toContain(warning);
  });

  it('says whether a port was chosen', () => {
    expect(parseOllamaHost('0.0.0.0')).toMatchObject({ host: '0.0.0.0', hasPort: false });
    expect(parseOllamaHost('0.0.0.0:11434')).toMatchObject({ hasPort: true });
    expect(parseOllamaHost('http://0.0.0.0')).toMatchObject({ hasPort: true, port: 80 });
    expect(parseOllamaHost(':1234')).toMatchObject({ host: '', port: 1234, hasPort: true });
    expect(parseOllamaHost('0.0.0.0:abc')).toMatchObject({ hasPort: false });
  });
});
