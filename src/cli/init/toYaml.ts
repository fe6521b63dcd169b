import { neutralDialect } from '../../clients/explorer/dialect.ts'
import { formatDuration } from '../../lib/duration.ts'
import { credentialNames, type Met } from './knock.ts'
import type { Proposal, ProposedToken } from './propose.ts'
import type { Reference } from './reference.ts'

export interface Channel {
  readonly type: string
  readonly url: Reference
}

/** All that a configuration is written from. */
export interface Plan {
  readonly met: Met
  readonly preconf: Reference | null
  readonly canonical: Reference | null
  readonly channel: Channel | null
  readonly proposal: Proposal
  /** How many transfers it rests on. */
  readonly transfers: number
  readonly writtenAt: number
}

const usualTimeoutMs = 10_000
const noContract = '0x0000000000000000000000000000000000000000'

/** JSON is YAML: whatever a text holds, it stays one text. */
const quote = (text: string) => JSON.stringify(text)

/** A commented configuration. What is doubtful stands in it as a comment; of the chain's words no others become settings. */
export function toYaml(plan: Plan): string {
  const date = new Date(plan.writtenAt).toISOString().slice(0, 10)
  return [
    `## Written by spanwatch init on ${date}. Lines with two # explain. Lines with one # are settings that were not used: take the\n`,
    '## # away to use them. ${NAME} is read from the environment, ${file:/run/secrets/x} from a file. Every setting with its default:\n',
    '## spanwatch.example.yaml and docs/configuration.md.\n\n',
    ...writeExplorer(plan.met),
    ...writeSources(plan),
    ...writeBridge(plan),
    ...writeChannel(plan.channel),
  ].join('')
}

function writeExplorer({ baseUrl, main, zone, dialect, auth, timeoutMs }: Met): string[] {
  const { path, field, direction, headerPrefix } = dialect
  const pair = (words: { readonly main: string; readonly zone: string }) =>
    `{ main: ${quote(words.main)}, zone: ${quote(words.zone)} }`
  const isUsual = JSON.stringify(dialect) === JSON.stringify(neutralDialect)
  return [
    'explorer:\n',
    `  baseUrl: ${quote(baseUrl)}\n`,
    `  chains: ${pair({ main, zone })}\n`,
    ...(isUsual
      ? []
      : [
          '  ## How this deployment spells the chains, as its answers showed it.\n',
          `  dialect: { path: ${pair(path)}, field: ${pair(field)}, direction: ${pair(direction)}, headerPrefix: ${quote(headerPrefix)} }\n`,
        ]),
    ...(auth === null ? [] : [`  auth: ${writeCredentials(auth)}\n`]),
    ...(timeoutMs === usualTimeoutMs ? [] : [`  timeout: ${formatDuration(timeoutMs)}\n`]),
    '\n',
  ]
}

function writeCredentials(beginning: string): string {
  const [key, secret, passphrase] = credentialNames(beginning).map((name) => quote(`\${${name}}`))
  return `{ key: ${key}, secret: ${secret}, passphrase: ${passphrase} }`
}

function writeSources({ preconf, canonical }: Plan): string[] {
  const source = (name: string, about: string, { url }: { readonly url: Reference | null }) => [
    `## ${about}\n`,
    url === null ? `#${name}: { url: "https://…" }\n\n` : `${name}: { url: ${quote(url.written)} }\n\n`,
  ]
  return [
    ...source('preconf', 'The preconfirmation RPC.', { url: preconf }),
    ...source(
      'canonical',
      'A second source for the main chain: without one the explorer is believed there, and without any RPC no balance is read.',
      { url: canonical },
    ),
  ]
}

function writeBridge({ proposal, transfers }: Plan): string[] {
  const { contracts, escrows, tokens } = proposal
  const lists = [
    writeList(contracts, {
      name: 'contracts',
      about: 'Contracts that wrote events in transactions of transfers.',
      example: '"0x…"',
      write: ({ address }) => quote(address),
    }),
    writeList(escrows, {
      name: 'escrows',
      about: 'What kept the money of deposits, and paid withdrawals.',
      example: '{ address: "0x…", token: "0x…" }',
      write: ({ address, token }) => `{ address: ${quote(address)}, token: ${quote(token || noContract)} }`,
    }),
    writeList(tokens, {
      name: 'tokens',
      about:
        'Anybody can call a token anything: compare these addresses with the documentation of the bridge.',
      example: '{ address: "0x…", symbol: USDC, decimals: 6 }',
      write: writeToken,
    }),
  ]
  const hasSettings = lists.some(({ isSetting }) => isSetting)
  return [
    `## What belongs to the bridge, as the ${transfers} newest completed transfers show it.\n`,
    hasSettings ? 'bridge:\n' : '#bridge:\n',
    ...lists.flatMap(({ lines }) => lines),
    '  ## Who pays gas for the bridge, in the native currency.\n',
    '#  operators: [ { address: "0x…", minBalance: "0.5" } ]\n',
    '\n',
  ]
}

interface Listed {
  readonly rests: string
  readonly doubts: readonly string[]
}

function writeList<T extends Listed>(
  all: readonly T[],
  list: {
    readonly name: string
    readonly about: string
    /** Stands there where nothing was found. */
    readonly example: string
    readonly write: (one: T) => string
  },
): { readonly lines: readonly string[]; readonly isSetting: boolean } {
  const { name, about, example, write } = list
  const isSetting = all.some(({ doubts }) => doubts.length === 0)
  const head = `  ## ${about}\n`
  if (all.length === 0) return { isSetting, lines: [head, `#  ${name}: [ ${example} ]\n`] }
  const entries = all.flatMap((one) =>
    one.doubts.length === 0
      ? [`    ## ${one.rests}\n`, `    - ${write(one)}\n`]
      : [`    ## Doubtful, ${one.doubts.join('; ')} (${one.rests})\n`, `#    - ${write(one)}\n`],
  )
  return { isSetting, lines: [head, isSetting ? `  ${name}:\n` : `#  ${name}:\n`, ...entries] }
}

/** A symbol that is doubtful is no more than a comment: with brackets around it, as wherever it is shown. */
function writeToken({ address, symbol, decimals, called }: ProposedToken): string {
  return `{ address: ${quote(address)}, symbol: ${quote(symbol ?? called)}, decimals: ${decimals ?? '?'} }`
}

function writeChannel(channel: Channel | null): string[] {
  const about = '## Where messages go; without channels they are printed. docs/channels.md has all kinds.\n'
  const more = [
    '\n## The daily reconciliation, and what notices that spanwatch itself is gone.\n',
    '#reports: { daily: { cron: "0 8 * * *", timezone: UTC, channel: ops } }\n',
    '#heartbeat: { url: "${HEARTBEAT_URL}" }\n',
  ]
  if (channel === null)
    return [about, '#channels:\n', '#  ops: { type: slack, url: "${SLACK_WEBHOOK_URL}" }\n', ...more]
  const { type, url } = channel
  return [about, 'channels:\n', `  ops: { type: ${type}, url: ${quote(url.written)} }\n`, ...more]
}
