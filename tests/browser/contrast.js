// Words whose colour is too close to that of their ground: luminance and ratio as WCAG 2 defines them.
() => {
  const rgb = (colour) => {
    const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
    canvas.fillStyle = colour;
    canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data];
  };
  const linear = (value) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4);
  const light = (colour) => {
    const [red, green, blue] = colour.map((value) => linear(value / 255));
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const over = (top, below) => {
    const share = top[3] / 255;
    return top.slice(0, 3).map((value, place) => value * share + below[place] * (1 - share));
  };
  const ground = (element) => {
    if (!element) return [255, 255, 255];
    const own = rgb(getComputedStyle(element).backgroundColor);
    return own[3] === 255 ? own.slice(0, 3) : over(own, ground(element.parentElement));
  };
  const found = new Set();
  for (const element of document.querySelectorAll("body *")) {
    const hasWords = [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim());
    if (!hasWords || element.closest("svg") || !element.checkVisibility()) continue;
    const below = ground(element);
    const pair = [light(over(rgb(getComputedStyle(element).color), below)), light(below)];
    const ratio = (Math.max(...pair) + 0.05) / (Math.min(...pair) + 0.05);
    if (ratio < 4.5) found.add(`${element.tagName}.${element.className}: ${ratio.toFixed(2)}`);
  }
  return [...found];
}
