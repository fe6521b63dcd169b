import { setFlagsFromString } from 'node:v8'

/** How the program keeps its memory small. Of what runs already only growth can be bounded, not a size. */
export function limitHeap() {
  // Room for new objects grows to 50 MB on a machine with much memory, and is never given back while there is little to do:
  // a daemon's are gone within a poll.
  setFlagsFromString('--semi-space-growth-factor=1')
  // What lives is small: V8 would let it grow to four times its size before it looks what of it is gone.
  setFlagsFromString('--heap-growing-percent=40')
}
