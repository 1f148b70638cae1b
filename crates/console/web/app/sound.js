// Sounds of the pack station: two rising notes for right, one low note for wrong, three for a finished parcel.

/** @type {AudioContext | null} */
let context = null;

/** @param {[frequency: number, start: number, length: number][]} notes @param {OscillatorType} shape */
function play(notes, shape) {
  try {
    context ??= new AudioContext();
    const now = context.currentTime;
    for (const [frequency, start, length] of notes) {
      const tone = context.createOscillator();
      const volume = context.createGain();
      tone.type = shape;
      tone.frequency.value = frequency;
      volume.gain.setValueAtTime(0.2, now + start);
      volume.gain.exponentialRampToValueAtTime(0.001, now + start + length);
      tone.connect(volume).connect(context.destination);
      tone.start(now + start);
      tone.stop(now + start + length);
    }
  } catch {
    // A browser without sound shows the same by word, mark and colour.
  }
}

export const sounds = {
  right: () => play([[880, 0, 0.09], [1320, 0.09, 0.12]], "sine"),
  wrong: () => play([[160, 0, 0.45]], "square"),
  done: () => play([[660, 0, 0.1], [880, 0.1, 0.1], [1320, 0.2, 0.25]], "sine"),
};
