import PostalMime, { type Email } from 'postal-mime'
import type { AppConfig } from '../../src/kernel/settings.ts'
import { Secret } from '../../src/lib/secret.ts'
import { createSlackInbox } from '../../src/sandbox/inbox/slackInbox.ts'
import { createSmtpInbox } from '../../src/sandbox/inbox/smtpInbox.ts'
import { injectTransfer } from '../../src/sandbox/worldTime.ts'
import type { ChannelServer } from '../../test/support/channelServer.ts'
import { discordPath, startFakeDiscord } from '../../test/support/fakeDiscord.ts'
import { startFakeSlack } from '../../test/support/fakeSlack/fakeSlack.ts'
import type { Posted } from '../../test/support/fakeSlack/methods.ts'
import { slackAppTo } from '../../test/support/fakeSlack/slackAppTo.ts'
import { startFakeTeams, workflowPath } from '../../test/support/fakeTeams.ts'
import { botToken, chatId, startFakeTelegram } from '../../test/support/fakeTelegram.ts'
import { shippedPoll } from '../../test/support/incidents.ts'
import { createLeapingClock } from '../../test/support/leapingClock.ts'
import { runScenario, type ScenarioRun } from '../../test/support/runScenario.ts'

/** What each service was sent, in the order in which it came. */
export interface Told {
  readonly slack: readonly unknown[]
  /** As they stand in the channel and its threads, edits made. */
  readonly slackApp: readonly Posted[]
  readonly teams: readonly unknown[]
  readonly discord: readonly unknown[]
  readonly telegram: readonly unknown[]
  readonly mails: readonly Email[]
}

export interface Scene {
  readonly yaml: string
  /** So much of the world's time is watched. */
  readonly minutes: number
  readonly happen?: (run: ScenarioRun) => Promise<void>
}

const ann = { by: 'ann', from: { via: 'cli', address: null, role: null, session: null } } as const
const thief = '0x51a1e0f5c4c9a3b2d7e66f0f8a4be2c91d3076ee'
const thefts = [
  { token: 'USDC', amountRaw: 2_500_000_000_000n },
  { token: 'WETH', amountRaw: 840_500_000_000_000_000_000n },
  { token: 'WBTC', amountRaw: 3_125_000_000n },
] as const

/** Three payouts to one address that nobody sent, in three tokens; taken by hand after some minutes. */
export const theft: Scene = {
  yaml: 'name: theft\ndescription: payouts without an origin\nseed: 7\ntimeline: []\n',
  minutes: 6,
  async happen(run) {
    await run.pass(60_000)
    for (const { token, amountRaw } of thefts) {
      const world = run.sandbox.look()
      injectTransfer(world, {
        direction: 'ZoneToMain',
        token,
        amountRaw,
        sourceAddress: thief,
        targetAddress: thief,
        originAbsent: 'invented',
        originAt: world.now - 5_000,
        destinationAt: world.now,
      })
      await run.pass(40_000)
    }
    await run.pass(60_000)
    run.app.parts.operations.changeCase({ id: 'c1', do: 'ack', text: 'withdrawals are paused' }, ann)
  },
}

/** Hundreds of withdrawals that fail for one reason, and a large one among them. */
export const storm: Scene = {
  yaml: `name: storm
description: a storm of failures
seed: 99
timeline:
  - { at: 60s, fault: transfer.failed, direction: ZoneToMain, count: 400, spacing: 150ms, errorMessage: "nonce too low" }
  - { at: 64s, fault: transfer.failed, direction: ZoneToMain, token: USDC, amount: "9750000", errorMessage: "nonce too low" }
`,
  minutes: 5,
}

/** The whole daemon watches the scene in a sandbox, and tells channels of every kind what it finds. */
export async function tellScene({ yaml, minutes, happen }: Scene): Promise<Told> {
  const clock = createLeapingClock(Date.UTC(2026, 2, 11, 9, 40))
  const [slack, mail] = [await createSlackInbox(), await createSmtpInbox()]
  const app = await startFakeSlack({ now: () => clock.now() })
  const [teams, discord, telegram] = [
    await startFakeTeams(),
    await startFakeDiscord(),
    await startFakeTelegram(),
  ]
  const names = ['slack', 'app', 'mail', 'teams', 'discord', 'telegram']
  const run = await runScenario({
    scenario: yaml,
    clock,
    timeoutMs: 60_000,
    preconfIntervalMs: 5_000,
    pace: { maxRequestsPerSecond: 4, concurrency: 8 },
    links: { tx: { main: 'https://main.example/tx/{hash}', zone: 'https://zone.example/tx/{hash}' } },
    bridge: ({ tokens }) => ({
      tokens: tokens.map(({ address, symbol, decimals }) => ({
        address,
        symbol,
        decimals,
        ...(prices[symbol] !== undefined && { usd: prices[symbol] }),
      })),
    }),
    config: {
      poll: shippedPoll,
      http: { host: '127.0.0.1', port: 0, token: null, publicUrl: 'https://watch.example.com' },
      channels: [
        { name: 'slack', type: 'slack', url: new Secret(slack.url) },
        slackAppTo(app, { name: 'app', buttons: true }),
        {
          name: 'mail',
          type: 'email',
          smtp: new Secret(mail.url),
          from: 'spanwatch <watch@example.com>',
          to: ['ops@example.com'],
        },
        { name: 'teams', type: 'teams', url: new Secret(`${teams.url}${workflowPath}`) },
        { name: 'discord', type: 'discord', url: new Secret(`${discord.url}${discordPath}`) },
        {
          name: 'telegram',
          type: 'telegram',
          botToken: new Secret(botToken),
          chatId,
          url: new Secret(telegram.url),
        },
      ] satisfies AppConfig['channels'],
      routes: [
        {
          match: null,
          channels: names,
          groupBy: ['case'],
          groupWaitMs: null,
          groupIntervalMs: 60_000,
          repeatMs: 14_400_000,
          continue: false,
        },
      ],
    },
  })
  await happen?.(run)
  await run.pass(minutes * 60_000)
  const told: Told = {
    slack: slack.messages.map(({ payload }) => payload),
    slackApp: [...app.world.messages],
    teams: bodiesOf(teams),
    discord: bodiesOf(discord),
    telegram: bodiesOf(telegram),
    mails: await Promise.all(mail.mails.map(({ raw }) => PostalMime.parse(raw))),
  }
  await run.stop()
  clock.stop()
  await Promise.all([slack, mail, app, teams, discord, telegram].map((one) => one.close()))
  return told
}

const prices: Readonly<Record<string, string>> = { USDC: '1', USDT: '1', WETH: '3200', WBTC: '65000' }

function bodiesOf({ posted }: ChannelServer): unknown[] {
  return posted.map(({ body }) => JSON.parse(body) as unknown)
}
