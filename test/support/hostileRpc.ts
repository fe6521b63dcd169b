/** One question as a client sends it. */
interface Question {
  readonly id: number
  readonly method: string
  readonly params: readonly unknown[]
}

/** What somebody hostile answers to JSON-RPC, one question or a batch. */
export interface HostileRpc {
  readonly name: string
  /** The body, as text. */
  readonly answer: (asked: Question | readonly Question[]) => string
  /** The error of each question, or 'answer' where what came is an answer after all. */
  readonly gives: RegExp | 'answer'
}

const hash = `0x${'1'.repeat(64)}`
const address = `0x${'2'.repeat(40)}`
const noQuestion = /the answer belongs to no question that was asked/
const breaks = /the result breaks the contract/
const failed = /the node gave an error/
const tooMuch = /the body is not JSON, names a key twice, or holds too much|the answer is larger than 16 MB/

/** A result that a method may give. */
function resultOf({ method, params }: Question): unknown {
  if (method === 'eth_getTransactionReceipt') return receiptOf(params[0])
  if (method === 'eth_getBlockReceipts') return [receiptOf(hash)]
  if (method.startsWith('eth_getBlockBy')) return { number: '0x1', hash, transactions: [] }
  return '0x1'
}

const receiptOf = (of: unknown, logs: unknown = []) => ({
  transactionHash: of,
  transactionIndex: '0x0',
  status: '0x1',
  logs,
})

const answered = ({ id }: Question, rest: object) => ({ jsonrpc: '2.0', id, ...rest })

/** Each question answered so, with what stands before its own answer. */
const each =
  (one: (question: Question) => unknown): HostileRpc['answer'] =>
  (asked) =>
    JSON.stringify(Array.isArray(asked) ? asked.map(one) : one(asked as Question))

const results = (name: string, result: unknown, gives: HostileRpc['gives'] = breaks): HostileRpc => ({
  name: `rpc: ${name}`,
  answer: each((question) => answered(question, { result })),
  gives,
})

const errors = (name: string, error: unknown, gives: HostileRpc['gives'] = failed): HostileRpc => ({
  name: `rpc: ${name}`,
  answer: each((question) => answered(question, { error })),
  gives,
})

const ids = (
  name: string,
  toId: (id: number) => unknown,
  gives: HostileRpc['gives'] = noQuestion,
): HostileRpc => ({
  name: `rpc: ${name}`,
  answer: each((question) => ({
    ...answered(question, { result: resultOf(question) }),
    id: toId(question.id),
  })),
  gives,
})

const log = { address, topics: [hash, hash, hash], data: '0x', logIndex: '0x1' }
const logs = (count: number) => Array.from({ length: count }, () => log)
const nest = (depth: number) => `${'{"error":'.repeat(depth)}"x"${'}'.repeat(depth)}`

/** What is sent to an RPC client, each in its turn; test/integration/clients and bench/attack.ts go through all of them. */
export const hostileRpc: readonly HostileRpc[] = [
  ids('ids of nobody', (id) => id + 1_000_000),
  ids('one id for all', () => 1_000_000),
  ids('ids as texts with a sign', (id) => `+${id}`),
  ids('ids as texts', (id) => String(id), 'answer'),
  ids('ids as fractions', (id) => id + 0.5),
  ids('ids as arrays', (id) => [id]),
  ids('ids as objects', (id) => ({ toString: id, valueOf: id })),
  ids('ids of truth', () => true),
  ids('no ids', () => null),
  {
    name: 'rpc: every answer twice',
    answer: (asked) =>
      JSON.stringify(
        [...listOf(asked), ...listOf(asked)].map((one) => answered(one, { result: resultOf(one) })),
      ),
    gives: noQuestion,
  },
  {
    name: 'rpc: two answers that contradict each other',
    answer: (asked) =>
      JSON.stringify(
        listOf(asked).flatMap((one) => [
          answered(one, { result: resultOf(one) }),
          answered(one, { result: null }),
        ]),
      ),
    gives: noQuestion,
  },
  {
    name: 'rpc: a hundred thousand answers to nobody',
    answer: () => JSON.stringify(Array.from({ length: 100_000 }, (_, at) => ({ id: -at, result: '0x1' }))),
    gives: noQuestion,
  },
  {
    name: 'rpc: one answer for a batch',
    answer: (asked) =>
      JSON.stringify(listOf(asked).map((one) => answered(one, { result: resultOf(one) }))[0]),
    gives: 'answer',
  },
  results('a number', 12),
  results('true', true),
  results('a text', 'latest'),
  results('an empty text', ''),
  results('a list of lists', [[[]]]),
  results('an object of nothing', {}),
  results('a quantity of a million digits', `0x${'f'.repeat(1_000_000)}`),
  results('a quantity of 2^256', `0x1${'0'.repeat(64)}`),
  results('a negative quantity', '-0x1'),
  results('a quantity in capitals', '0X1'),
  results('a quantity with a line behind it', '0x1\n'),
  results('a quantity in full-width signs', '０x１'),
  results('a decimal quantity', '17'),
  results('0x alone', '0x'),
  {
    name: 'rpc: no result',
    answer: each((question) => answered(question, {})),
    gives: /neither a result nor an error/,
  },
  {
    name: 'rpc: a result of the prototype',
    answer: each(({ id }) => JSON.parse(`{"id":${id},"__proto__":{"result":"0x1"}}`)),
    gives: /neither a result nor an error/,
  },
  results('receipts with 100,000 logs', [receiptOf(hash, logs(100_000))], tooMuch),
  results('a receipt whose logs are an object', [receiptOf(hash, { length: 1_000_000_000 })]),
  results(
    'receipts of nothing by the hundred thousand',
    Array(100_001).fill(1),
    /holds too much|the result breaks the contract/,
  ),
  errors('an error as text', 'something is wrong'),
  errors('an error as a number', -32_603),
  errors('an error as a list', [1, 2, 3]),
  errors('an error of nothing', {}),
  errors('an error whose parts are objects', { code: { a: 1 }, message: { b: 2 } }),
  errors('an error whose number is beyond all measure', { code: 1e308, message: 'x' }),
  errors('an error of a million letters', { code: -32_000, message: 'x'.repeat(1_000_000) }),
  errors('an error of lines and signs that turn the text', {
    code: -32_000,
    message: 'a\n\u202eb\u0000\u2028c',
  }),
  {
    name: 'rpc: errors within errors, 100,000 deep',
    answer: (asked) => {
      const one = ({ id }: Question) => `{"jsonrpc":"2.0","id":${id},"error":${nest(100_000)}}`
      return Array.isArray(asked) ? `[${asked.map(one).join()}]` : one(asked as Question)
    },
    gives: failed,
  },
  {
    name: 'rpc: an error and a result',
    answer: each((question) => answered(question, { result: resultOf(question), error: { code: -32_000 } })),
    gives: failed,
  },
  {
    name: 'rpc: an error of false beside a result',
    answer: each((question) => answered(question, { result: resultOf(question), error: false })),
    gives: failed,
  },
]

const listOf = (asked: Question | readonly Question[]): readonly Question[] =>
  Array.isArray(asked) ? asked : [asked as Question]
