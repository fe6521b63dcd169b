/** What a service may do otherwise than the samples of the documentation have it, where that leaves it open. */
export interface Manner {
  /** Lists begin with the oldest row. */
  readonly isOldestFirst?: true
  /** By what the list of transfers is sorted, where that is not when value left. */
  readonly order?: 'indexed' | 'changed'
  /** Rows of one block come in another order for each question. */
  readonly isUnstable?: true
  /** One row, as it is sent. */
  readonly row?: (row: Row, endpoint: string) => Row
  /** What a paged answer says of itself beside its rows. */
  readonly page?: (page: Row) => Row
  /** Rows of a page at most, whatever is asked. */
  readonly limit?: number
  /** What a page after the last one has, where that is not nothing. */
  readonly after?: 'last' | 'first' | 'refused'
  /** So many rows of a list are shown, the newest ones. */
  readonly window?: number
  /** One answer of the RPC. */
  readonly rpc?: (answer: unknown) => unknown
  /** The whole answer to a batch; undefined: HTTP 500. */
  readonly batch?: (answers: readonly unknown[]) => unknown
  readonly isPacked?: true
  /** Each answer ends its connection, and says so or not. */
  readonly closes?: 'announced' | 'unannounced'
}

type Row = Readonly<Record<string, unknown>>

const mapRow = (row: Row, change: (key: string, value: unknown) => unknown): Row =>
  Object.fromEntries(
    Object.entries(row).flatMap(([key, value]) => {
      const changed = change(key, value)
      return changed === undefined ? [] : [[key, changed]]
    }),
  )

/** Every value within, objects and lists as well. */
function mapDeep(value: unknown, change: (key: string, value: unknown) => unknown, key = ''): unknown {
  if (Array.isArray(value)) return value.map((item) => mapDeep(item, change, key))
  if (typeof value !== 'object' || value === null) return change(key, value)
  const entries = Object.entries(value).map(([name, inner]) => [name, mapDeep(inner, change, name)])
  return Object.fromEntries(entries.filter(([, inner]) => inner !== undefined))
}

const isWhole = (value: unknown): value is string => typeof value === 'string' && /^\d{1,15}$/.test(value)
const ofOneSide = /(TxHash|BlockHeight|BlockTime|BlockHash|EventIndex)$/

/** As some libraries print a decimal number. */
function withExponent(text: string): string {
  const [whole = '', fraction = ''] = text.split('.')
  return `${BigInt(whole + fraction)}E-${fraction.length}`
}

/** As a column of a fixed scale prints it. */
function withZeros(text: string): string {
  const [whole = '', fraction = ''] = text.split('.')
  return `${whole}.${fraction.padEnd(6, '0')}`
}

const isTitle = /^(tokenName|symbol|transactionSymbol)$/
/** Whoever makes a token names it, and may put anything there. */
const longTitle = '\u0000\u202eclaim at <https://evil.example|reward> <!channel> {{7*7}}\r\n'.repeat(200)

const promised = new Set([
  'number',
  'hash',
  'transactions',
  'nonce',
  's',
  'transactionHash',
  'transactionIndex',
  'status',
])

const manners: Readonly<Record<string, Manner>> = {
  oldest: { isOldestFirst: true },
  indexed: { order: 'indexed' },
  changed: { order: 'changed' },
  unstable: { isUnstable: true },
  uncounted: { page: (page) => mapRow(page, (key, value) => (key.startsWith('total') ? undefined : value)) },
  emptyCounts: { page: (page) => mapRow(page, (key, value) => (key.startsWith('total') ? '' : value)) },
  onePage: { page: (page) => ({ ...page, totalPage: '1' }) },
  standingTotal: { page: (page) => ({ ...page, ...('total' in page && { total: '10000' }) }) },
  numbers: {
    row: (row) =>
      mapRow(row, (key, value) =>
        /(height|time|index|count)$/i.test(key) && isWhole(value) ? Number(value) : value,
      ),
    page: (page) => mapRow(page, (_, value) => (isWhole(value) ? Number(value) : value)),
  },
  exponents: {
    row: (row) =>
      mapRow(row, (key, value) =>
        /^(amount|value|txFee)$/.test(key) && typeof value === 'string' && /^\d+\.\d+$|^0$/.test(value)
          ? withExponent(value === '0' ? '0.000000000000000000' : value)
          : value,
      ),
  },
  fixed: {
    row: (row) =>
      mapRow(row, (key, value) =>
        /^(amount|value|txFee)$/.test(key) && typeof value === 'string' && value !== ''
          ? withZeros(value)
          : value,
      ),
  },
  untitled: { row: (row) => mapRow(row, (key, value) => (isTitle.test(key) ? '' : value)) },
  titled: { row: (row) => mapRow(row, (key, value) => (isTitle.test(key) ? longTitle : value)) },
  muteActions: {
    row: (row) =>
      'actionData' in row ? { ...row, actionData: JSON.stringify({ type: row['actionType'] }) } : row,
  },
  unnumbered: { row: (row) => ('zoneEventIndex' in row ? { ...row, zoneEventIndex: '' } : row) },
  valueless: {
    row: (row, endpoint) => (/^E(4|9|14)$/.test(endpoint) ? { ...row, value: '', valueRaw: '' } : row),
  },
  flagless: {
    row: (row) => mapRow(row, (key, value) => (/^is(From|To)Contract$/.test(key) ? undefined : value)),
  },
  emptyDetail: {
    row: (row) => mapRow(row, (key, value) => (key === 'batchDetail' && value === '' ? '[]' : value)),
  },
  missing: {
    row: (row, endpoint) =>
      /^E(3|12)$/.test(endpoint)
        ? mapRow(row, (key, value) =>
            value === '' && (ofOneSide.test(key) || key === 'id') ? undefined : value,
          )
        : row,
  },
  nulls: {
    row: (row, endpoint) =>
      /^E(3|12)$/.test(endpoint)
        ? mapRow(row, (key, value) => (value === '' && (ofOneSide.test(key) || key === 'id') ? null : value))
        : row,
  },
  zeros: {
    row: (row, endpoint) =>
      /^E(3|12)$/.test(endpoint)
        ? mapRow(row, (key, value) => (value === '' && /Block(Height|Time)$/.test(key) ? '0' : value))
        : row,
  },
  nativeAddress: {
    row: (row, endpoint) =>
      /^E[67]$/.test(endpoint) && row['tokenContractAddress'] === ''
        ? { ...row, tokenContractAddress: `0x${'0'.repeat(40)}` }
        : row,
  },
  nameless: { row: (row, endpoint) => (/^E(3|12)$/.test(endpoint) ? { ...row, id: '' } : row) },
  upper: {
    row: (row) =>
      mapRow(row, (_, value) =>
        typeof value === 'string' && /^0x[0-9a-f]{40,}$/.test(value)
          ? `0x${value.slice(2).toUpperCase()}`
          : value,
      ),
    rpc: (answer) =>
      mapDeep(answer, (_, value) =>
        typeof value === 'string' && /^0x[0-9a-f]+$/.test(value)
          ? `0x${value.slice(2).toUpperCase()}`
          : value,
      ),
  },
  extra: {
    row: (row) => ({ ...row, remark: { more: ['x'] }, chainId: 7 }),
    rpc: (answer) => ({ ...(answer as Row), node: 'n' }),
  },
  small: { limit: 10 },
  lastAgain: { after: 'last' },
  firstAgain: { after: 'first' },
  refusedAfter: { after: 'refused' },
  window: { window: 200 },
  silent: { limit: 10, page: (page) => ({ ...page, limit: '100' }) },
  zeroPages: { page: (page) => ({ ...page, page: '0' }) },
  noBatches: { batch: () => undefined },
  refusedBatches: {
    batch: () => [{ jsonrpc: '2.0', id: null, error: { code: -32_600, message: 'Invalid Request' } }],
  },
  smallBatches: { batch: (answers) => answers.slice(0, 2) },
  turnedBatches: {
    batch: (answers) => answers.toReversed(),
    rpc: (answer) => ({ ...(answer as Row), id: String((answer as Row)['id']), error: null }),
  },
  padded: {
    rpc: (answer) =>
      mapDeep(answer, (key, value) =>
        /^(number|timestamp|status|transactionIndex|blockNumber|logIndex|nonce|gasUsed|type)$/.test(key) &&
        typeof value === 'string' &&
        value.length < 20
          ? `0x${value.slice(2).padStart(16, '0')}`
          : value,
      ),
  },
  unplaced: {
    rpc: (answer) =>
      mapDeep(answer, (key, value) => (/^(logIndex|removed|logsBloom)$/.test(key) ? undefined : value)),
  },
  bareRpc: {
    rpc: (answer) => {
      const one = answer as Row
      const keep = (value: unknown): unknown =>
        Array.isArray(value)
          ? value.map(keep)
          : typeof value === 'object' && value !== null
            ? Object.fromEntries(
                Object.entries(value)
                  .filter(([key]) => promised.has(key))
                  .map(([key, inner]) => [key, keep(inner)]),
              )
            : value
      return { ...one, result: keep(one['result']) }
    },
  },
  packed: { isPacked: true },
  closing: { closes: 'announced' },
  dropping: { closes: 'unannounced' },
}

/**
 * Several by their names, separated by commas, as one.
 * @throws Error where there is none of a name; '' is as the samples have it
 */
export function mannerOf(names: string): Manner {
  const known = (name: string): Manner => {
    const manner = manners[name]
    if (manner) return manner
    throw new Error(`no manner ${name}: there are ${Object.keys(manners).join(', ')}`)
  }
  return names.split(',').filter(Boolean).map(known).reduce(join, {})
}

function join(a: Manner, b: Manner): Manner {
  return {
    ...a,
    ...b,
    row: (row, endpoint) => {
      const first = a.row?.(row, endpoint) ?? row
      return b.row?.(first, endpoint) ?? first
    },
    page: (page) => {
      const first = a.page?.(page) ?? page
      return b.page?.(first) ?? first
    },
    rpc: (answer) => {
      const first = a.rpc?.(answer) ?? answer
      return b.rpc?.(first) ?? first
    },
  }
}
