import { pack } from '../../store/pack.ts'
import { codec, parseJson, readPacked } from '../../store/table.ts'

/** What a log says beside its first topic, which has a column of its own. */
export interface LogBody {
  readonly topics: readonly string[]
  readonly data: string
}

/**
 * Words of 32 bytes without the zeros that they begin with: addresses and amounts are mostly those. What is no such words
 * is kept as JSON, with all topics, as it was before.
 */
export const logBody = codec({
  type: 'ANY',
  expected: 'the topics and data of a log',
  read: (cell) =>
    cell instanceof Uint8Array
      ? fromWords(readPacked(cell))
      : typeof cell === 'string'
        ? fromJson(parseJson(cell))
        : undefined,
  write({ topics, data }: LogBody) {
    const [, ...others] = topics
    const isPlain = topics.every((topic) => isWord.test(topic)) && topics.length > 0 && areWords.test(data)
    if (!isPlain) return JSON.stringify({ topics, data })
    const words = data.slice(2).match(/.{64}/g) ?? []
    return pack([others.length, ...[...others, ...words.map((word) => `0x${word}`)].map(toShort)])
  },
})

const isWord = /^0x[0-9a-f]{64}$/
const areWords = /^0x(?:[0-9a-f]{64})*$/

function toShort(word: string): string {
  return `0x${word.slice(2).replace(/^(?:00){0,31}/, '')}`
}

/** Without the first topic. */
function fromWords(value: unknown): LogBody | undefined {
  if (!Array.isArray(value)) return undefined
  const [count, ...words]: readonly unknown[] = value
  const whole = words.map((word) => (typeof word === 'string' ? `0x${word.slice(2).padStart(64, '0')}` : ''))
  if (typeof count !== 'number' || !whole.every((word) => isWord.test(word))) return undefined
  const data = whole.slice(count).map((word) => word.slice(2))
  return { topics: ['', ...whole.slice(0, count)], data: `0x${data.join('')}` }
}

function fromJson(value: unknown): LogBody | undefined {
  if (typeof value !== 'object' || value === null || !('topics' in value) || !('data' in value))
    return undefined
  const { topics, data } = value
  const isGood = Array.isArray(topics) && topics.every((topic) => typeof topic === 'string')
  return isGood && typeof data === 'string' ? { topics, data } : undefined
}

/** A body as it was read, with its first topic. */
export function withTopic(topic: string, { topics, data }: LogBody): LogBody {
  return { topics: topics.length === 0 ? topics : [topic, ...topics.slice(1)], data }
}
