import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { checkChannel } from '../../../src/cli/checkChannel.ts'
import { Secret } from '../../../src/lib/secret.ts'
import { selfSigned } from '../delivery/selfSigned.ts'
import type { Clock } from '../../../src/lib/clock.ts'
import { createSandbox } from '../../../src/sandbox/createSandbox.ts'
import { createSlackInbox } from '../../../src/sandbox/inbox/slackInbox.ts'
import { createSmtpInbox } from '../../../src/sandbox/inbox/smtpInbox.ts'
import { loadScenario } from '../../../src/sandbox/scenario.ts'
import { createLeapingClock, type LeapingClock } from '../../support/leapingClock.ts'
import { runCommand } from '../../unit/cli/testIo.ts'

const dialect = {
  path: { main: 'acme', zone: 'az' },
  field: { main: 'acme', zone: 'az' },
  direction: { main: 'Acme', zone: 'AZ' },
  headerPrefix: 'ACM',
}
const env = {
  KEY: 'key-12345678',
  SECRET: 'secret-12345678',
  PASS: 'pass-12345678',
  SMTP_PASS: 'mail-12345678',
}

let clock: LeapingClock
let stops: (() => unknown)[]
let folder: string
beforeEach(() => {
  clock = createLeapingClock()
  clock.start()
  folder = mkdtempSync(join(tmpdir(), 'spanwatch-online-'))
  stops = [() => clock.stop(), () => rmSync(folder, { recursive: true })]
})
afterEach(async () => {
  for (const stop of stops.reverse()) await stop()
})

async function startSandbox() {
  const scenario = await loadScenario('healthy')
  const auth = { key: env.KEY, secret: env.SECRET, passphrase: env.PASS }
  const sandbox = createSandbox({ clock: clock.served, scenario, dialect, auth })
  await sandbox.start()
  stops.push(() => sandbox.stop())
  return sandbox
}

/** `check --online` against a signed deployment with a dialect of its own. */
async function checkOnline(
  explorerUrl: string,
  more: { yaml?: string; env?: Record<string, string>; clock?: Clock; dialect?: typeof dialect } = {},
) {
  const path = join(folder, 'spanwatch.yaml')
  const text = `explorer:
  baseUrl: ${explorerUrl}
  chains: { main: MAINCHAIN, zone: ZONE_CHAIN }
  dialect: ${JSON.stringify(more.dialect ?? dialect)}
  auth: { key: "\${KEY}", secret: "\${SECRET}", passphrase: "\${PASS}" }
${more.yaml ?? ''}`
  writeFileSync(path, text)
  const surroundings = { env: { ...env, ...more.env }, clock: more.clock ?? clock }
  const result = await runCommand(['check', '--online', '-c', path], surroundings)
  const said = [...result.out.matchAll(/^ {2}(ok|unsure|failed) +(\S+)/gm)].map(
    ([, verdict, what]) => `${verdict} ${what}`,
  )
  return { ...result, said }
}

test('a signed deployment with a dialect of its own answers: 0', async () => {
  const sandbox = await startSandbox()
  const { exitCode, said } = await checkOnline(sandbox.url)
  expect(said).toEqual(['ok clock', 'ok E3', 'ok E5', 'ok E12', 'ok E9', 'ok E11', 'ok E13', 'ok E7'])
  expect(exitCode).toBe(0)
})

test.each([
  {
    place: 'field',
    wrong: { ...dialect, field: { main: 'main', zone: 'zone' } },
    says: [
      'the rows have `acmeTxHash`: set explorer.dialect.field.main: acme',
      'the rows have `azTxHash`: set explorer.dialect.field.zone: az',
    ],
  },
  {
    place: 'one word of field',
    wrong: { ...dialect, field: { main: 'acme', zone: 'zone' } },
    says: ['the rows have `azTxHash`: set explorer.dialect.field.zone: az'],
  },
  {
    place: 'direction',
    wrong: { ...dialect, direction: { main: 'Main', zone: 'Zone' } },
    says: ['set explorer.dialect.direction.main: Acme and explorer.dialect.direction.zone: AZ'],
  },
  {
    place: 'the main word of path',
    wrong: { ...dialect, path: { main: 'chain', zone: 'az' } },
    says: ['explorer.dialect.path.main, or explorer.baseUrl, does not fit'],
  },
  {
    place: 'the zone word of path',
    wrong: { ...dialect, path: { main: 'acme', zone: 'zone' } },
    says: ['explorer.dialect.path.zone does not fit'],
  },
  {
    place: 'headerPrefix',
    wrong: { ...dialect, headerPrefix: 'SVC' },
    says: ['Set explorer.dialect.headerPrefix: ACM, if it is not'],
  },
])(
  'semantics.md 38: a dialect that does not fit in $place is told with the words that would: 3',
  async ({ wrong, says }) => {
    const sandbox = await startSandbox()
    const { exitCode, out } = await checkOnline(sandbox.url, { dialect: wrong })
    for (const text of says) expect(out).toContain(text)
    expect(exitCode).toBe(3)
  },
)

test('a contract with logs answers, one that emits nothing is doubted', async () => {
  const sandbox = await startSandbox()
  const quiet = `0x${'11'.repeat(20)}`
  const yaml = `bridge: { contracts: ["${sandbox.world.contracts.bridge}", "${quiet}"] }\n`
  const { exitCode, said, out } = await checkOnline(sandbox.url, { yaml })
  expect([exitCode, said.slice(-2)]).toEqual([0, ['ok E20', 'unsure E20']])
  expect(out).toContain('check bridge.contracts')
})

test('a wrong secret: 3, with a remedy and without the secret', async () => {
  const sandbox = await startSandbox()
  const { exitCode, said, out, err } = await checkOnline(sandbox.url, { env: { SECRET: 'wrong-12345678' } })
  expect([exitCode, said]).toEqual([3, ['ok clock', 'failed E3', 'failed E5', 'failed E11']])
  expect(out).toContain('The credentials were refused: check explorer.auth')
  expect(out + err).not.toContain('12345678')
})

test.each([
  { title: 'half a minute off is a failure: 3', aheadMs: 40_000, exitCode: 3, verdict: 'failed clock' },
  { title: 'some seconds off are said: 0', aheadMs: 15_000, exitCode: 0, verdict: 'unsure clock' },
])('a clock $title', async ({ aheadMs, exitCode, verdict }) => {
  const sandbox = await startSandbox()
  const result = await checkOnline(sandbox.url, { clock: { ...clock, now: () => clock.now() + aheadMs } })
  expect([result.exitCode, result.said[0]]).toEqual([exitCode, verdict])
})

test('channels are reached and logged in to, and nobody gets a message', async () => {
  const sandbox = await startSandbox()
  const slack = await createSlackInbox({})
  stops.push(() => slack.close())
  const mail = await createSmtpInbox({})
  stops.push(() => mail.close())
  const yaml = `channels:
  chat: { type: slack, url: "${slack.url}" }
  mail: { type: email, smtp: "${mail.url}", from: a@b.example, to: [c@d.example] }
`
  const { exitCode, said } = await checkOnline(sandbox.url, { yaml })
  expect([exitCode, said.slice(-2)]).toEqual([0, ['ok channel', 'ok channel']])
  expect([slack.requests, mail.mails]).toEqual([[], []])
})

test('a mail server that is there says what is wrong with its certificate, the scheme or the moment', async () => {
  const inboxes = {
    certificate: await createSmtpInbox({ implicitTls: true, tls: selfSigned }),
    scheme: await createSmtpInbox(),
    moment: await createSmtpInbox(),
  }
  stops.push(() => Promise.all(Object.values(inboxes).map((inbox) => inbox.close())))
  inboxes.moment.script({ at: 'connect', code: 421 })
  const { certificate, scheme, moment } = inboxes
  const url = (secure: boolean, { port }: { port: number }) => `smtp${secure ? 's' : ''}://127.0.0.1:${port}`
  const say = async (smtp: string) => {
    const mail = { name: 'mail', type: 'email' as const, from: 'a@b.c', to: ['d@e.f'] }
    const io = { clock: clock.served, stop: new AbortController().signal }
    const [result] = await checkChannel(io, { ...mail, smtp: new Secret(smtp) })
    return `${result?.says} ${result?.remedy}`
  }
  expect(await say(url(true, certificate))).toBe(
    'no trusted TLS (DEPTH_ZERO_SELF_SIGNED_CERT) Its certificate is not trusted here: check the address and the certificates of this machine.',
  )
  expect(await say(url(true, scheme))).toBe(
    'no trusted TLS (ERR_SSL_WRONG_VERSION_NUMBER) No TLS is spoken there as the address asks for it: check scheme and port in channels.mail.smtp.',
  )
  expect(await say(url(false, moment))).toContain('try again later')
})

test('channels that nobody listens for: 3, each with its remedy', async () => {
  const sandbox = await startSandbox()
  const yaml = `channels:
  chat: { type: slack, url: "http://127.0.0.1:1/services/T/B/12345678" }
  mail: { type: email, smtp: "smtp://user:\${SMTP_PASS}@127.0.0.1:1", from: a@b.example, to: [c@d.example] }
`
  const { exitCode, said, out } = await checkOnline(sandbox.url, { yaml })
  expect([exitCode, said.slice(-2)]).toEqual([3, ['failed channel', 'failed channel']])
  expect(out).toContain('Check channels.chat.url')
  expect(out).toContain('Check host and port in channels.mail.smtp')
  expect(out).not.toContain('12345678')
})

test('nodes of the chains that the explorer shows are that, and one of another chain is an error that says so: 3', async () => {
  // Begun first: at each moment it is at least as high, and has another block wherever the explorer shows one.
  const other = createSandbox({
    clock: clock.served,
    scenario: await loadScenario('healthy'),
    seed: 2,
  })
  await other.start()
  stops.push(() => other.stop())
  const sandbox = await startSandbox()
  const right = `canonical: { url: "${sandbox.canonicalUrl}" }\nzoneRpc: { url: "${sandbox.zoneRpcUrl}" }\n`
  const fine = await checkOnline(sandbox.url, { yaml: right })
  expect([fine.exitCode, fine.said.slice(-2)]).toEqual([0, ['ok canonical', 'ok zoneRpc']])
  expect(fine.out).toMatch(/zoneRpc RPC at \S+: at block \d+, the chain that the explorer shows/)
  const wrong = `canonical: { url: "${other.canonicalUrl}" }\nzoneRpc: { url: "${other.zoneRpcUrl}" }\n`
  const refused = await checkOnline(sandbox.url, { yaml: wrong })
  expect([refused.exitCode, refused.said.slice(-2)]).toEqual([3, ['failed canonical', 'failed zoneRpc']])
  expect(refused.out).toMatch(/another chain than the explorer's: block \d+ is 0x\w{64} here, 0x\w{64} there/)
  expect(refused.out).toContain('Check zoneRpc.url: it has to be a node of the zone chain.')
})

test('the RPC and the second source say their height', async () => {
  const sandbox = await startSandbox()
  const yaml = `preconf: { url: "${sandbox.rpcUrl}" }\ncanonical: { url: "${sandbox.url}/nothing" }\n`
  const { exitCode, said, out } = await checkOnline(sandbox.url, { yaml })
  expect([exitCode, said.slice(-2)]).toEqual([3, ['ok preconf', 'failed canonical']])
  expect(out).toMatch(/preconf RPC at \S+: at block \d+/)
})
