import { parseArgs } from 'node:util'
import type { AppConfig } from '../src/kernel/settings.ts'
import { Secret } from '../src/lib/secret.ts'
import { createSmtpInbox } from '../src/sandbox/inbox/smtpInbox.ts'
import { createSlackInbox } from '../src/sandbox/inbox/slackInbox.ts'
import { incidents, shippedPoll } from '../test/support/incidents.ts'
import { createLeapingClock } from '../test/support/leapingClock.ts'
import { runScenario, type ScenarioRun } from '../test/support/runScenario.ts'

// What reaches people in an incident and in a storm, in time that leaps: messages by channel, how long they are, when
// the first came, how many cases they are about. `--by rule` groups as versions without cases did.
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { minutes: { type: 'string', default: '4' }, by: { type: 'string', default: 'case' } },
})
const names = positionals.length > 0 ? positionals : [...incidents.map(({ name }) => name), 'storm']

interface Told {
  readonly messages: number
  readonly meanLength: number
  readonly longest: number
  readonly firstAfterMs: number | null
}

console.log(
  '| scenario | alerts | cases | Slack messages | mean length | longest | first after | mails | mean length |',
)
console.log('|---|---|---|---|---|---|---|---|---|')
for (const name of names) await measure(name.replace('!', ''))

async function measure(name: string): Promise<void> {
  const clock = createLeapingClock()
  const [slack, mail] = [await createSlackInbox({}), await createSmtpInbox({})]
  const run = await runScenario({
    scenario: name,
    clock,
    timeoutMs: 60_000,
    preconfIntervalMs: 5_000,
    pace: { maxRequestsPerSecond: 20, concurrency: 4 },
    config: { poll: shippedPoll, ...channels(slack.url, mail.url) },
  })
  const startedAt = clock.now()
  const seen = { slack: null as number | null }
  for (let second = 0; second < Number(values.minutes) * 60; second += 1) {
    await run.pass(1_000)
    if (slack.messages.length > 0) seen.slack ??= clock.now() - startedAt
  }
  const texts = slack.messages.map(({ payload }) => JSON.stringify(payload))
  const mails = mail.mails.map(({ raw }) => raw)
  print(name, run, [summarize(texts, seen.slack), summarize(mails, null)])
  await run.stop()
  await Promise.all([slack.close(), mail.close()])
  clock.stop()
}

function channels(slackUrl: string, smtpUrl: string): Pick<AppConfig, 'channels' | 'routes'> {
  return {
    channels: [
      { name: 'ops', type: 'slack', url: new Secret(slackUrl) },
      {
        name: 'mail',
        type: 'email',
        smtp: new Secret(smtpUrl),
        from: 'watch@example.com',
        to: ['ops@example.com'],
      },
    ],
    routes: [
      {
        match: null,
        channels: ['ops', 'mail'],
        groupBy: [values.by],
        groupWaitMs: null,
        groupIntervalMs: 300_000,
        repeatMs: 14_400_000,
        continue: false,
      },
    ],
  }
}

function summarize(texts: readonly string[], firstAfterMs: number | null): Told {
  const lengths = texts.map(({ length }) => length)
  const sum = lengths.reduce((total, length) => total + length, 0)
  return {
    messages: texts.length,
    meanLength: texts.length === 0 ? 0 : Math.round(sum / texts.length),
    longest: Math.max(0, ...lengths),
    firstAfterMs,
  }
}

function print(name: string, run: ScenarioRun, [slack, mail]: readonly [Told, Told]): void {
  const first = slack.firstAfterMs === null ? 'none' : `${Math.round(slack.firstAfterMs / 1_000)} s`
  const cells = [
    name,
    run.alerts().length,
    countCases(run),
    slack.messages,
    slack.meanLength,
    slack.longest,
    first,
    mail.messages,
    mail.meanLength,
  ]
  console.log(`| ${cells.join(' | ')} |`)
}

/** Ledgers of before cases have no such table. */
function countCases({ app }: ScenarioRun): string {
  const { db } = app.parts
  const exists = db.prepare("SELECT 1 FROM sqlite_master WHERE name = 'cases'").get() !== undefined
  return exists
    ? String(db.prepare("SELECT COUNT(*) AS n FROM cases WHERE state <> 'merged'").get()?.['n'])
    : '–'
}
