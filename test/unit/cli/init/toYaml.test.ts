import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { neutralDialect } from '../../../../src/clients/explorer/dialect.ts'
import { toYaml, type Plan } from '../../../../src/cli/init/toYaml.ts'
import { configSchema } from '../../../../src/config/schema.ts'

const address = (digit: string) => `0x${digit.repeat(40)}`
const rests = '4 transfers of 4 parties'

const plan: Plan = {
  met: {
    baseUrl: 'https://explorer.example.com',
    dialect: neutralDialect,
    auth: null,
    main: 'MAIN',
    zone: 'Z_CHAIN',
    timeoutMs: 10_000,
  },
  preconf: null,
  canonical: null,
  channel: null,
  proposal: { tokens: [], escrows: [], contracts: [] },
  transfers: 0,
  writtenAt: Date.parse('2026-03-08T12:00:00Z'),
}

const smallest = { baseUrl: 'https://explorer.example.com', chains: { main: 'MAIN', zone: 'Z_CHAIN' } }

test('with nothing found it is the address and the names, the rest comments', () => {
  const text = toYaml(plan)
  expect(parse(text)).toEqual({ explorer: smallest })
  expect(text).toContain('Written by spanwatch init on 2026-03-08')
})

test('each line with one # is a setting of its place, once the # is away', () => {
  const text = toYaml(plan)
    .replace(/^#(?!#)/gm, '')
    .replaceAll('"0x…"', `"${address('1')}"`)
    .replaceAll(/\$\{\w+\}|https:\/\/…/g, 'https://host.example')
  const parsed = configSchema.safeParse(parse(text))
  expect(parsed.error?.issues ?? []).toEqual([])
  expect(Object.keys(parse(text))).toEqual([
    'explorer',
    'preconf',
    'canonical',
    'bridge',
    'channels',
    'reports',
    'heartbeat',
  ])
  expect(parsed.data?.bridge).toMatchObject({
    contracts: [address('1')],
    escrows: [{ address: address('1') }],
    tokens: [{ symbol: 'USDC' }],
    operators: [{ minBalance: '0.5' }],
  })
})

test('hostile words stay comments of one line, and doubtful ones beside sure ones are no settings', () => {
  const hostile = '[x"\n  evil: true\n${SECRET} \u202e]'
  const text = toYaml({
    ...plan,
    proposal: {
      tokens: [
        { address: address('a'), symbol: 'USDC', decimals: 6, called: '[USDC]', rests, doubts: [] },
        {
          address: address('b'),
          symbol: null,
          decimals: null,
          called: hostile,
          rests,
          doubts: ['its symbol has unusual letters'],
        },
      ],
      escrows: [{ address: address('e'), token: '', rests, doubts: [] }],
      contracts: [{ address: address('c'), rests, doubts: ['it rests on fewer than 3 parties'] }],
    },
  })
  expect(parse(text)).toEqual({
    explorer: smallest,
    bridge: {
      escrows: [{ address: address('e'), token: address('0') }],
      tokens: [{ address: address('a'), symbol: 'USDC', decimals: 6 }],
    },
  })
  expect(text).toContain('#    - "0xcccc')
})

test('secrets are names, and what differs from the usual is written', () => {
  const reference = (name: string) => ({ written: `\${${name}}`, variable: name, value: 'a-real-secret' })
  const dialect = { ...neutralDialect, path: { main: 'acme', zone: 'az' }, headerPrefix: 'ACM' }
  const text = toYaml({
    ...plan,
    met: { ...plan.met, dialect, auth: 'EXPLORER', timeoutMs: 30_000 },
    preconf: reference('PRECONF_URL'),
    canonical: { written: 'https://rpc.example.com', variable: null, value: 'https://rpc.example.com' },
    channel: { type: 'teams', url: reference('TEAMS_WORKFLOW_URL') },
  })
  expect(parse(text)).toEqual({
    explorer: {
      ...smallest,
      dialect,
      auth: { key: '${EXPLORER_KEY}', secret: '${EXPLORER_SECRET}', passphrase: '${EXPLORER_PASSPHRASE}' },
      timeout: '30s',
    },
    preconf: { url: '${PRECONF_URL}' },
    canonical: { url: 'https://rpc.example.com' },
    channels: { ops: { type: 'teams', url: '${TEAMS_WORKFLOW_URL}' } },
  })
  expect(text).not.toContain('a-real-secret')
})
