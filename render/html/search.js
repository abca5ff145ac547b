/* SPDX-License-Identifier: MIT */
document.getElementById('search').addEventListener('submit', function (event) {
	event.preventDefault();
	var to = this.dataset, words = this.q.value.replace(/[\/\0]/g, ' ').trim();
	if (!to.end) words = words.toLowerCase().normalize('NFD').replace(/[\u0300-\u036f]/g, '');
	if (words) location.href = to.to + encodeURIComponent(words) + to.end;
});
