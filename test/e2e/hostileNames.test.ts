import PostalMime from 'postal-mime'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createSlackInbox, type SlackInbox } from '../../src/sandbox/inbox/slackInbox.ts'
import { createSmtpInbox, type SmtpInbox } from '../../src/sandbox/inbox/smtpInbox.ts'
import { createFakeExplorer, type FakeExplorer, toOpenWire, toWire } from '../support/fakeExplorer.ts'
import { createProject, endProgram, type Project, runProgram, startDaemon } from '../support/realMonitor.ts'
import { until } from '../support/startMonitor.ts'

// F72 F73 F74: whoever deploys a token writes its name, and some of what the API says is not the service's either.

const rules = `
rules:
  - name: failed
    on: transfer.failed
    severity: critical
    summary: "[{{ transfer.token.name }}] [{{ transfer.crossType }}] failed: {{ facts.errorMessage }}"
`
const names = {
  mention: '<!channel> <@U123> <!here>',
  link: '<https://evil.example|USDC>',
  script: '<script>alert(1)</script>',
  image: '"><img src=x onerror=alert(1)>',
  formula: '=HYPERLINK("https://evil.example","USDC")',
  plus: '+1+cmd|calc',
  at: '@SUM(1+1)',
  dash: '-2+3',
  template: '{{ "zq" | append: "xw" }} {{ 7 | times: 6 }} {% raw %}',
  markdown: '`code` *bold* _it_ ~no~ :fire: &lt;b&gt;',
  controls: 'a\u0000b\u001b[31mc\u0007d\u202ee\u200bf\r\nBcc: eve@evil.example',
  header: '%0d%0aBcc: eve@evil.example ${HOME}',
  endless: 'A'.repeat(200_000),
}
/** What is left of them to show. */
const shown: Readonly<Record<keyof typeof names, string>> = {
  ...names,
  controls: 'ab[31mcdef Bcc: eve@evil.example',
  endless: `${'A'.repeat(63)}…`,
}
const kinds = Object.keys(names) as (keyof typeof names)[]
// eslint-disable-next-line no-control-regex -- looking for what must not be there
const invisible = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u200b-\u200f\u202a-\u202e\u2066-\u2069]/

let api: FakeExplorer
let slack: SlackInbox
let smtp: SmtpInbox
let project: Project
let daemon: Awaited<ReturnType<typeof startDaemon>>
const hashes = new Map<string, string>()

beforeAll(async () => {
  api = await createFakeExplorer()
  slack = await createSlackInbox()
  smtp = await createSmtpInbox()
  project = createProject({
    url: api.url,
    rules,
    channels: {
      ops: { type: 'slack', url: slack.url },
      mail: { type: 'email', smtp: smtp.url, from: 'bridge@example.com', to: ['ops@example.com'] },
      console: { type: 'console' },
    },
  })
  api.records = [toWire()]
  daemon = await startDaemon(project)
  for (const kind of kinds) await tell(kind)
}, 240_000)
afterAll(async () => {
  await endProgram(daemon)
  await Promise.all([slack.close(), smtp.close(), api.close()])
  project.remove()
})

/** A failed transfer with the name wherever a record, or the zone's word on it, has room for one. */
async function tell(kind: keyof typeof names): Promise<void> {
  const name = names[kind]
  const record = toOpenWire({
    status: '0x0',
    tokenName: name,
    crossType: name,
    tokenType: name,
    tokenId: name,
  })
  const hash = record['zoneTxHash'] ?? '?'
  hashes.set(kind, hash)
  api.zoneTransactions.set(hash, { txId: hash, txid: hash, status: '0x0', errorMessage: name })
  api.records.unshift(record)
  await until(
    () =>
      slack.messages.some(({ text }) => text.includes(hash)) &&
      smtp.mails.length >= hashes.size &&
      daemon.stdout().includes(hash),
  )
}

const messageOf = (kind: string) => slack.messages.find(({ text }) => text.includes(hashes.get(kind) ?? '?'))

test.each(kinds)('Slack: the name "%s" is text and nothing else', (kind) => {
  const message = messageOf(kind)
  expect(message?.text).toContain(kind === 'markdown' ? '`code` *bold*' : shown[kind])
  const raw = JSON.stringify(message?.payload)
  expect(raw.length).toBeLessThan(13_000)
  const texts = textsOf(message?.payload)
  expect(texts.filter((text) => /[<>]/.test(text) || invisible.test(text))).toEqual([])
  expect(raw).not.toContain('zqxw')
})

test('Slack: nothing is parsed, linked or unfurled', () => {
  for (const { payload } of slack.messages) {
    expect(payload).toMatchObject({
      link_names: false,
      unfurl_links: false,
      unfurl_media: false,
      mrkdwn: false,
    })
    expect(JSON.stringify(payload)).not.toMatch(
      /"type":"mrkdwn","text":"(?:[^"\\]|\\.)*"(?!,"verbatim":true)/,
    )
  }
})

test('mail: names are text in both parts, make no header and carry no markup', async () => {
  const read = () =>
    Promise.all(smtp.mails.map(async ({ raw, to }) => ({ raw, to, parsed: await PostalMime.parse(raw) })))
  const ofKind = (mails: Awaited<ReturnType<typeof read>>, kind: keyof typeof names) =>
    mails.find(({ parsed }) => parsed.text?.includes(hashes.get(kind) ?? '?'))
  // A mail for something else may have come before the last of these.
  let mails = await read()
  await expect
    .poll(async () => kinds.every((kind) => ofKind(mails, kind)) || ((mails = await read()), false), {
      timeout: 30_000,
    })
    .toBe(true)
  for (const kind of kinds) {
    const mail = ofKind(mails, kind)
    expect(mail?.parsed.text, kind).toContain(shown[kind])
    expect(decode(mail?.parsed.html ?? ''), kind).toContain(shown[kind])
    expect(mail?.to).toEqual(['ops@example.com'])
    expect(mail?.parsed.headers.filter(({ key }) => /bcc|^cc$/.test(key))).toEqual([])
    expect(mail?.parsed.html).not.toMatch(/<(script|img|iframe|svg|b>)|href="(?!https?:)/i)
    expect(invisible.test(mail?.parsed.text ?? '')).toBe(false)
    expect(mail?.parsed.html).not.toContain('zqxw')
  }
})

test('console: names cannot move the cursor, colour anything or run over the screen', () => {
  expect(daemon.stdout()).not.toMatch(invisible)
  for (const kind of kinds) expect(daemon.stdout(), kind).toContain(shown[kind])
  expect(
    Math.max(
      ...daemon
        .stdout()
        .split('\n')
        .map((line) => line.length),
    ),
  ).toBeLessThan(1_000)
})

test('log: every line is one JSON object without raw control characters', () => {
  for (const line of daemon.stderr().trim().split('\n')) expect(() => JSON.parse(line)).not.toThrow()
  expect(daemon.stderr()).not.toMatch(invisible)
})

test('status page: names are escaped on every page', async () => {
  const keys = ((await getJson('/api/transfers')) as { transfers: { key: string }[] }).transfers.map(
    ({ key }) => key,
  )
  for (const path of ['/', '/transfers', ...keys.map((key) => `/transfers/${encodeURIComponent(key)}`)]) {
    const response = await fetch(`${daemon.page}${path}`)
    const html = await response.text()
    expect([path, response.status]).toEqual([path, 200])
    expect(html).not.toMatch(/<script>|<img src=x|<!channel|<https:|onerror=alert\(1\)>/)
    expect(html).not.toContain('zqxw')
    expect(html).not.toMatch(invisible)
    expect(response.headers.get('content-security-policy')).toContain("default-src 'none'")
  }
  const list = decode(await (await fetch(`${daemon.page}/transfers`)).text())
  // A name stands in brackets, and has none of its own.
  for (const kind of kinds) expect(list, kind).toContain(shown[kind].replace('[', '('))
})

test('api: names are JSON strings, shortened, in answers that no browser takes for a page', async () => {
  const response = await fetch(`${daemon.page}/api/transfers`)
  expect(response.headers.get('content-type')).toMatch(/^application\/json/)
  expect(response.headers.get('x-content-type-options')).toBe('nosniff')
  const { transfers } = (await response.json()) as { transfers: { token: { name: string } }[] }
  const found = transfers.map(({ token }) => token.name)
  expect(kinds.filter((kind) => !found.includes(shown[kind]))).toEqual([])
  expect(JSON.stringify(await getJson('/api/alerts')).length).toBeLessThan(200_000)
})

test('transfers list --csv: a spreadsheet finds text in every cell, and numbers where amounts are', async () => {
  const { code, stdout } = await runProgram(['transfers', 'list', '--csv', '-c', project.configPath])
  expect(code).toBe(0)
  const [header = [], ...rows] = parseCsv(stdout)
  expect(rows).toHaveLength(kinds.length + 1)
  for (const row of rows) {
    expect(row).toHaveLength(header.length)
    expect(row.filter((cell) => /^[=+\-@\t\r\0]/.test(cell))).toEqual([])
    expect(row[header.indexOf('amountRaw')]).toBe('1500000')
    expect(row[header.indexOf('amount')]).toBe('1.5')
  }
  const cells = rows.map((row) => row[header.indexOf('tokenName')]?.replace(/^'/, ''))
  expect(kinds.filter((kind) => !cells.includes(shown[kind]))).toEqual([])
})

test('transfers list --json and plain: names are data, without control characters', async () => {
  const json = await runProgram(['transfers', 'list', '--json', '-c', project.configPath])
  const text = await runProgram(['transfers', 'list', '-c', project.configPath])
  const listed = JSON.parse(json.stdout) as unknown
  expect(JSON.stringify(listed)).toContain(JSON.stringify(shown.formula))
  for (const { stdout } of [json, text]) expect(stdout).not.toMatch(invisible)
  const story = await runProgram([
    'transfers',
    'show',
    hashes.get('controls') ?? '?',
    '-c',
    project.configPath,
  ])
  expect(story.stdout).toContain(shown.controls)
  expect(story.stdout).not.toMatch(invisible)
})

async function getJson(path: string): Promise<unknown> {
  return (await fetch(`${daemon.page}${path}`)).json()
}

/** Every string that Slack would show. */
function textsOf(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  if (typeof value !== 'object' || value === null) return []
  return Object.values(value).flatMap(textsOf)
}

function decode(html: string): string {
  return html
    .replace(/<[^>]*>/g, '')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&')
}

/** RFC 4180. */
function parseCsv(text: string): string[][] {
  const rows: string[][] = [[]]
  const cell = /("(?:[^"]|"")*"|[^",\r\n]*)(,|\r?\n|$)/y
  while (cell.lastIndex < text.length) {
    const [, value = '', end] = cell.exec(text) ?? []
    rows.at(-1)?.push(value.startsWith('"') ? value.slice(1, -1).replaceAll('""', '"') : value)
    if (end !== ',' && cell.lastIndex < text.length) rows.push([])
  }
  return rows
}
