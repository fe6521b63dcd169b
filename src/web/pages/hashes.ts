import { html } from 'hono/html'
import type { TransactionLinks } from '../../delivery/itemFields.ts'
import { shortHash } from '../../lib/shortHash.ts'
import { cleanText } from '../../lib/text.ts'
import { type Html, toSafeHref } from './words.ts'

/** Where a transaction of each chain can be looked at. */
export type { TransactionLinks }

/** `0x1234…abcd`, the whole of it as its title, copied by a click; short ones as they are. */
export function renderHash(hash: string): Html {
  const text = cleanText(hash, 200)
  const short = shortHash(text)
  return short === text
    ? html`<code>${text}</code>`
    : html`<button type="button" class="copy" title="${text}"><span class="hidden">Copy </span><code>${short}</code></button>`
}

/** A transaction's, with the way to where it can be looked at. */
export function renderTransactionHash(
  { chain, hash }: { readonly chain: keyof TransactionLinks; readonly hash: string },
  links: TransactionLinks,
): Html {
  const href = toTransactionHref({ chain, hash }, links)
  return href === null
    ? renderHash(hash)
    : html`${renderHash(hash)} <a class="out" href="${href}" rel="noreferrer">explorer<span class="hidden"> page of ${shortHash(cleanText(hash, 200))}</span></a>`
}

/** Null where no address is configured, or what is to be looked at is no hash. */
function toTransactionHref(
  { chain, hash }: { readonly chain: keyof TransactionLinks; readonly hash: string },
  links: TransactionLinks,
): string | null {
  const link = links[chain]
  return link === null || !/^0x[0-9a-f]{64}$/i.test(hash) ? null : toSafeHref(link.replaceAll('{hash}', hash))
}

/** A text in which each hash and address is short and copied by a click. */
export function renderHashes(text: string, most: number): Html {
  const parts = cleanText(text, most).split(/(0x[0-9a-f]{20,}(?![0-9a-f…]))/i)
  return html`${parts.map((part, index) => (index % 2 === 1 ? renderHash(part) : part))}`
}
