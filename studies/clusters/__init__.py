"""Networks of clusters: Myrinet, switched gigabit Ethernet and Avici [Chen & Wyckoff]."""
