import { describe, expect, test } from 'vitest'
import { useOf } from '../../src/checks/sources/unavailable.ts'
import { createQuietBridge, type QuietBridge } from '../support/quietBridge.ts'

// What is told, and in how many messages, when a source falls silent as a whole or one endpoint of it does.

const second = 1_000
const minute = 60 * second

/** Withdrawals are told apart by their numbers. */
let next = 1_000

const paths: Readonly<Record<string, RegExp>> = {
  E3: /\/cross\/transaction-list$/,
  E5: /\/block\/block-list$/,
  E6: /\/address\/transaction-list$/,
  E9: /\/zone\/transaction\/transaction-multi$/,
  E10: /\/normal-transaction-list-multi$/,
  E11: /\/block-fills$/,
  E12: /\/cross\/transaction-multi$/,
  E13: /\/token-transfer-multi$/,
  E17: /\/verify-contract-info$/,
  E19: /\/by-block-and-address$/,
}

/** A quiet bridge, watched for a while. */
async function start(): Promise<QuietBridge & { arrive(): void }> {
  const world = await createQuietBridge(30)
  // Somebody is on the way all the time, so that every endpoint is in use.
  const open = (next += 1)
  const record = world.withdraw(open, { mainTxHash: '', mainBlockTime: '', mainBlockHeight: '' })
  await world.pass(90 * second)
  return {
    ...world,
    arrive() {
      const { zoneBlockTime = '' } = record
      Object.assign(record, world.withdraw(open, { zoneBlockTime }))
      world.fake.records.shift()
    },
  }
}

const silence = (world: QuietBridge, ...endpoints: string[]) =>
  world.setFault(({ path }) =>
    endpoints.length === 0 || endpoints.some((id) => paths[id]?.test(path)) ? 'broken' : null,
  )

/** Lets time pass in which the bridge is used: every 20 s a withdrawal that is paid at once. */
async function live(world: QuietBridge, ms: number): Promise<void> {
  for (let at = 0; at < ms; at += 20 * second) {
    world.withdraw((next += 1))
    await world.pass(20 * second)
  }
}

const listTold = (world: QuietBridge) =>
  world.alerts().map(({ kind, subject, severity, state }) => `${severity} ${kind} ${subject}: ${state}`)

const messagesOf = (world: QuietBridge, words: string) =>
  world.monitor
    .told()
    // A long first line goes on in the next one.
    .map((text) => text.replaceAll(' …\n… ', ' '))
    .filter((text) => text.includes(words))

describe('an outage of everything', () => {
  test.each([
    { title: '25 s', ms: 25 * second },
    { title: '5 minutes', ms: 5 * minute },
    { title: '6 hours', ms: 360 * minute },
  ])('of $title is one alert that ends, and no endpoint is told after it', async ({ ms }) => {
    const world = await start()
    const at = world.now()
    silence(world)
    // In time; after six hours without it would be stalled.
    world.arrive()
    await world.pass(ms)
    world.setFault(null)
    await live(world, 6 * minute)
    expect(listTold(world)).toEqual(['critical source.unavailable explorer: resolved'])
    expect((world.alerts()[0]?.activeAt ?? 0) - at).toBeLessThan(20 * second)
    expect(world.verdict()).toEqual({ ok: true, reasons: [] })
    expect(world.late()).toEqual([])
  })

  test('after which one endpoint stays away tells that one by itself', async () => {
    const world = await start()
    silence(world)
    await world.pass(minute)
    silence(world, 'E6')
    await live(world, 3 * minute)
    world.setFault(null)
    await live(world, 5 * minute)
    expect(listTold(world)).toEqual([
      'critical source.unavailable explorer: resolved',
      'critical source.unavailable explorer E6: resolved',
    ])
  })

  test('that comes and goes tells no endpoint', async () => {
    const world = await start()
    for (let n = 0; n < 6; n += 1) {
      silence(world)
      await world.pass(25 * second)
      world.setFault(null)
      await world.pass(15 * second)
    }
    await live(world, 5 * minute)
    expect(new Set(world.alerts().map(({ subject }) => subject))).toEqual(new Set(['explorer']))
  })
})

describe('one endpoint that falls silent', () => {
  test.each(Object.keys(paths))('%s is one alert within a minute, and its end is told', async (endpoint) => {
    const world = await start()
    await live(world, minute)
    const at = world.now()
    silence(world, endpoint)
    await live(world, 5 * minute)
    world.setFault(null)
    await live(world, 5 * minute)
    expect(listTold(world)).toEqual([`critical source.unavailable explorer ${endpoint}: resolved`])
    const [said = '', ...more] = messagesOf(world, 'has given no good answer')
    expect(more).toEqual([])
    const { blind, judgesTransfers = false } = useOf(endpoint)
    expect(said).toContain(`not seen meanwhile: ${blind}`)
    expect(said.includes('not being judged')).toBe(judgesTransfers)
    // E17 is read every 40 s, and 20 s after a reading that failed.
    expect((world.alerts()[0]?.activeAt ?? 0) - at).toBeLessThan((endpoint === 'E17' ? 2 : 1) * minute)
    expect(world.verdict()).toEqual({ ok: true, reasons: [] })
  })
})
