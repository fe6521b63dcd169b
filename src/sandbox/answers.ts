import { z } from 'zod'

/**
 * How the service words its answers where its document and its samples disagree or are silent. The defaults are what
 * the samples show.
 */
export const answersSchema = z.strictObject({
  arrays: z
    .enum(['sample', 'documented', 'alike'])
    .default('sample')
    .describe(
      'Names of the arrays of E13 and E15 as in the samples or as documented; alike: transactionList in every paged main list',
    ),
  hashKey: z
    .enum(['mixed', 'txid', 'txId'])
    .default('mixed')
    .describe('How rows of the main chain spell the key of their hash; mixed: txid in E1, txId elsewhere'),
  difficulty: z
    .enum(['sample', 'documented'])
    .default('sample')
    .describe('E11: difficuity as in the sample, or difficulty'),
  libraries: z
    .enum(['text', 'array', 'used'])
    .default('text')
    .describe('E17, libraryInfo: an empty string, an empty array, or an array with a library'),
  batches: z
    .enum(['record', 'items'])
    .default('record')
    .describe('Whether E3 and E12 show a batch withdrawal as one row, or as one row for each of its items'),
  batchDetail: z
    .enum(['mixed', 'objects', 'lists', 'quoted', 'plain'])
    .default('mixed')
    .describe(
      'E12, batchDetail: an array of objects, an object of parallel lists, either (mixed), the array as a JSON text within the JSON text (quoted), or words that are no JSON (plain)',
    ),
  empty: z
    .enum(['array', 'page-0', 'page-1'])
    .default('array')
    .describe(
      'A paged list without rows: data is [], or a page without rows that says page "0" of "0", or page "1" of ""',
    ),
  recordTokens: z
    .enum(['main', 'zone'])
    .default('main')
    .describe("Which chain's address of a token the records of E3 and E12 name"),
  heights: z
    .enum(['zone', 'main', 'either', 'push'])
    .default('zone')
    .describe("Which chain's height the filters of E3 mean; push: that of blockHeight in E12"),
  pageLimit: z
    .int()
    .min(1)
    .max(100)
    .default(100)
    .describe('Pages are never larger, whatever limit is asked for'),
  pageLimitAdmitted: z
    .boolean()
    .default(true)
    .describe('Whether the limit in an answer is the real one, or the one that was asked for'),
  extraFields: z.boolean().default(false).describe('Pages and records carry fields that nobody announced'),
})

export type Answers = z.output<typeof answersSchema>

/** What the array of an endpoint is called. */
export function arrayName(answers: Answers, names: { readonly sample: string; readonly documented: string }) {
  return answers.arrays === 'alike' ? 'transactionList' : names[answers.arrays]
}

/** What a row of the main chain calls its hash; `usual` where the spellings are mixed. */
export function hashKey(answers: Answers, usual: 'txid' | 'txId'): 'txid' | 'txId' {
  return answers.hashKey === 'mixed' ? usual : answers.hashKey
}

/** The same answer with more fields in its page and in every record. */
export function withExtraFields(data: readonly unknown[]): unknown[] {
  return data.map((item) => {
    if (typeof item !== 'object' || item === null || Array.isArray(item)) return item
    const fields = Object.entries(item).map(([name, value]) => [
      name,
      isRecords(value) ? withExtraFields(value) : value,
    ])
    return { ...Object.fromEntries(fields), unannounced: 'yes', unannouncedCount: 3, unannouncedList: [] }
  })
}

function isRecords(value: unknown): value is readonly unknown[] {
  return Array.isArray(value) && value.some((item) => typeof item === 'object')
}
