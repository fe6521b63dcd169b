import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { parseArgs } from 'node:util'
import { Secret } from '../src/lib/secret.ts'
import { isObject } from '../src/lib/isObject.ts'
import { readSlackText } from '../src/sandbox/inbox/slackInbox.ts'
import { incidents, shippedPoll } from '../test/support/incidents.ts'
import { createLeapingClock } from '../test/support/leapingClock.ts'
import { runScenario } from '../test/support/runScenario.ts'

// How many messages the incidents and the storm make in each channel, and how long they are, as a person reads them: in
// characters, the webhook's as JSON. Scenarios by name; `--print` shows the messages; `--minutes N` of the world's time.
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { minutes: { type: 'string', default: '4' }, print: { type: 'boolean', default: false } },
})
const names = positionals.length > 0 ? positionals : [...incidents.map(({ name }) => name), 'storm']
const channels = ['slack', 'console', 'teams', 'discord', 'webhook'] as const

/** Where texts that a person reads stand in the bodies of Teams and Discord. */
const shown = new Set(['text', 'content', 'description', 'name', 'value', 'title'])

let told = new Map<string, string[]>()

const server = createServer((request, response) => {
  const parts: Buffer[] = []
  request.on('data', (part: Buffer) => parts.push(part))
  request.on('end', () => {
    const name = (request.url ?? '').split('/')[1] ?? ''
    note(name, read(name, JSON.parse(Buffer.concat(parts).toString('utf8'))))
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(name === 'slack' ? 'ok' : name === 'discord' ? '{"id":"1"}' : '')
  })
})
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

process.stdout.write(
  `${['scenario', ...channels.map((name) => `${name}: messages, mean, longest`)].join(' | ')}\n`,
)
for (const name of names) {
  told = new Map(channels.map((one) => [one, []]))
  await run(name)
  const cells = channels.map((channel) => measure(told.get(channel) ?? []))
  process.stdout.write(`${[name, ...cells].join(' | ')}\n`)
  if (values.print)
    for (const [channel, texts] of told)
      for (const text of texts) process.stdout.write(`\n===== ${name}, ${channel}\n${text}\n`)
}
server.close()
server.closeAllConnections()

async function run(name: string): Promise<void> {
  const clock = createLeapingClock()
  const links = { main: 'https://main.example/tx/{hash}', zone: 'https://zone.example/tx/{hash}' }
  const scenario = await runScenario({
    scenario: name,
    clock,
    timeoutMs: 60_000,
    preconfIntervalMs: 5_000,
    pace: { maxRequestsPerSecond: 4, concurrency: 8 },
    links: { tx: links },
    write: (text) => note('console', text),
    config: {
      poll: shippedPoll,
      channels: [
        { name: 'slack', type: 'slack', url: new Secret(`${base}/slack/x`) },
        { name: 'console', type: 'console' },
        { name: 'teams', type: 'teams', url: new Secret(`${base}/teams/x`) },
        { name: 'discord', type: 'discord', url: new Secret(`${base}/discord/x`) },
        { name: 'webhook', type: 'webhook', url: new Secret(`${base}/webhook/x`) },
      ],
      routes: [
        {
          match: null,
          channels: [...channels],
          groupBy: ['case'],
          groupWaitMs: null,
          groupIntervalMs: 60_000,
          repeatMs: 14_400_000,
          continue: false,
        },
      ],
    },
  })
  await scenario.pass(Number(values.minutes) * 60_000)
  await scenario.stop()
  clock.stop()
}

function note(channel: string, text: string): void {
  told.get(channel)?.push(text)
}

/** As a person reads it, addresses behind words left out. */
function read(channel: string, body: unknown): string {
  if (!isObject(body) || channel === 'webhook') return JSON.stringify(body)
  if (channel === 'slack') return readSlackText(body).replace(/: https?:\/\/\S+/g, '')
  return textsOf(body).join('\n')
}

function textsOf(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(textsOf)
  if (!isObject(value)) return []
  return Object.entries(value).flatMap(([key, one]) =>
    typeof one === 'string' ? (shown.has(key) ? [one.replace(/\]\(<[^>]*>\)/g, ']')] : []) : textsOf(one),
  )
}

function measure(texts: readonly string[]): string {
  const lengths = texts.map((text) => text.length)
  const sum = lengths.reduce((all, length) => all + length, 0)
  return `${texts.length}, ${Math.round(sum / Math.max(texts.length, 1))}, ${Math.max(0, ...lengths)}`
}
